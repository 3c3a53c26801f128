import {
  everyByTimer,
  growingDelay,
  sleep as sleepByTimer,
  type Every,
  type Sleep,
  FailureReport,
  problemOf,
  Limiter,
  type Delivery,
  type ProcessLogger,
  type Queue,
  type QueueName,
} from '@rollcall/application';
import type { Metrics } from '@rollcall/host';
import type { Settlement } from './settlement.js';

const FIRST_DELAY_MS = 500;
const maxDelayMs = 15_000;

const maxFinishMs = 20_000;

export interface ConsumerCounts {
  deliveries: number;
  /** Of these: not the first of their message. */
  redeliveries: number;
  /** Settlements that were lost: the message is redelivered. */
  unsettled: number;
  queueLost: number;
}

export function showDeliveries(
  { families }: Metrics,
  queue: string,
  counts: Pick<ConsumerCounts, 'deliveries' | 'redeliveries'>,
): void {
  const { queueDeliveries, queueRedeliveries } = families;
  queueDeliveries.remove({ queue });
  queueDeliveries.inc({ queue }, counts.deliveries);
  queueRedeliveries.remove({ queue });
  queueRedeliveries.inc({ queue }, counts.redeliveries);
}

export interface ConsumerOptions {
  readonly queue: Pick<Queue, 'consume' | 'ackDeadlineMs'>;
  readonly counts: ConsumerCounts;
  readonly logger: ProcessLogger;
  /** Deliveries handled at once, those after `leaveSlot` not counted. */
  readonly concurrency: number;
  /** Stops taking deliveries and waits for running ones, for a bounded time. */
  readonly signal: AbortSignal;
  readonly finishWithinMs?: number;
  readonly sleep?: Sleep;
  readonly every?: Every;
}

interface Handler {
  readonly queueName: QueueName;
  /** Deliveries that may go on after `leaveSlot`; none by default. */
  readonly maxWithoutSlot?: number;
  /** `leaveSlot` frees the slot while the delivery goes on. Never throws. */
  readonly handle: (delivery: Delivery, leaveSlot: () => void) => Promise<Settlement>;
  readonly left: (count: number) => void;
}

/** Handles deliveries, also lost and duplicate ones, until the signal aborts. Retries a queue that is away with backoff. */
export async function consumeQueue(options: ConsumerOptions, handler: Handler): Promise<void> {
  const { signal, counts, logger, sleep = sleepByTimer, every = everyByTimer } = options;
  const deliveries = new Deliveries(options, handler);
  const report = new FailureReport({ logger, message: 'the queue cannot be read', level: 'error' });
  let failures = 0;
  const succeeded = (): void => {
    failures = 0;
    report.succeeded();
  };
  while (!signal.aborted) {
    const stop = every(maxDelayMs, () => Promise.resolve(succeeded()));
    try {
      await deliveries.consume(succeeded);
    } catch (error) {
      counts.queueLost += 1;
      report.failed(error);
    }
    stop();
    failures += 1;
    await sleep(growingDelay(failures, FIRST_DELAY_MS, maxDelayMs), signal);
  }
  await deliveries.finished();
}

class Deliveries {
  readonly #options: ConsumerOptions;
  readonly #handler: Handler;
  readonly #running = new Set<Promise<void>>();
  readonly #slots: Limiter;

  constructor(options: ConsumerOptions, handler: Handler) {
    this.#options = options;
    this.#handler = handler;
    this.#slots = new Limiter(options.concurrency);
  }

  async consume(delivered: () => void): Promise<void> {
    const { queue, concurrency, counts, signal } = this.#options;
    const { queueName, maxWithoutSlot = 0 } = this.#handler;
    const maxUnsettled = concurrency + maxWithoutSlot;
    for await (const delivery of queue.consume(queueName, { signal, maxUnsettled })) {
      delivered();
      counts.deliveries += 1;
      if (delivery.attempt > 1) counts.redeliveries += 1;
      const handled = this.#handle(delivery).finally(() => this.#running.delete(handled));
      this.#running.add(handled);
      await this.#slots.free(signal);
    }
  }

  /** Resolves when everything is settled, or after a timeout: the rest is redelivered. */
  async finished(): Promise<void> {
    const { finishWithinMs = maxFinishMs, sleep = sleepByTimer } = this.#options;
    const settled = new AbortController();
    const all = Promise.all(this.#running).then(() => settled.abort());
    await Promise.race([all, sleep(finishWithinMs, settled.signal)]);
    const { size } = this.#running;
    if (size > 0) this.#handler.left(size);
  }

  async #handle(delivery: Delivery): Promise<void> {
    const { every = everyByTimer, queue } = this.#options;
    const stop = every(queue.ackDeadlineMs / 3, () => this.#callQueue(() => delivery.working()));
    const leaveSlot = this.#slots.take();
    try {
      await this.#settle(delivery, await this.#handler.handle(delivery, leaveSlot));
    } finally {
      leaveSlot();
      stop();
    }
  }

  async #settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    await this.#callQueue(() =>
      settlement.call === 'nak' ? delivery.nak(settlement.delayMs) : delivery[settlement.call](),
    );
  }

  /** A lost settlement means a harmless redelivery. */
  async #callQueue(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      const { counts, logger } = this.#options;
      counts.unsettled += 1;
      logger.warn({ problem: problemOf(error) }, 'the queue was not told of a delivery');
    }
  }
}
