import {
  everyByTimer,
  growingDelay,
  sleep as sleepByTimer,
  type Every,
  type Sleep,
  FailureReport,
  problemOf,
  Places,
  type Delivery,
  type ProcessLogger,
  type Queue,
  type QueueName,
} from '@rollcall/application';

import type { Settlement } from './settle.js';

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 15_000;

/** How long what runs when the worker is told to stop has to end. */
const FINISH_WITHIN_MS = 20_000;

/** What a consumer has seen since its start. */
export interface ConsumerCounts {
  /** Deliveries taken from the queue. */
  deliveries: number;
  /** Of these: not the first of their message. */
  redeliveries: number;
  /** Settlements that did not reach the queue: the message comes again. */
  unsettled: number;
  /** Times the queue was away. */
  queueLost: number;
}

export interface ConsumerOptions {
  readonly queue: Pick<Queue, 'consume' | 'ackDeadlineMs'>;
  readonly counts: ConsumerCounts;
  readonly logger: ProcessLogger;
  /** How many deliveries are handled at once, those not counted that have left their slot. */
  readonly concurrency: number;
  /** Ends the consumer: it takes nothing further and waits for what runs, a while. */
  readonly signal: AbortSignal;
  readonly finishWithinMs?: number;
  readonly sleep?: Sleep;
  readonly every?: Every;
}

/** What one queue's messages come to. */
export interface Handler {
  readonly queueName: QueueName;
  /** How many deliveries may have left their slot; none by default. */
  readonly mostBeside?: number;
  /** `leaveSlot` lets another delivery be handled while this one still is. Never throws. */
  readonly handle: (delivery: Delivery, leaveSlot: () => void) => Promise<Settlement>;
  /** Notified when so many deliveries are left to another worker at the end. */
  readonly left: (count: number) => void;
}

/**
 * Handles deliveries until the signal aborts. A message more or less, or one that somebody else has too, has to do no harm. A
 * queue that is away is tried again after growing delays.
 */
export async function consumeQueue(options: ConsumerOptions, handler: Handler): Promise<void> {
  const { signal, counts, logger, sleep = sleepByTimer } = options;
  const deliveries = new Deliveries(options, handler);
  const report = new FailureReport({ logger, message: 'the queue cannot be read', level: 'error' });
  let failures = 0;
  while (!signal.aborted) {
    try {
      await deliveries.consume(() => {
        failures = 0;
        report.succeeded();
      });
    } catch (error) {
      counts.queueLost += 1;
      report.failed(error);
    }
    failures += 1;
    await sleep(growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS), signal);
  }
  await deliveries.finished();
}

/** The deliveries that are under way. */
class Deliveries {
  readonly #options: ConsumerOptions;
  readonly #handler: Handler;
  readonly #running = new Set<Promise<void>>();
  readonly #slots: Places;

  constructor(options: ConsumerOptions, handler: Handler) {
    this.#options = options;
    this.#handler = handler;
    this.#slots = new Places(options.concurrency);
  }

  async consume(delivered: () => void): Promise<void> {
    const { queue, concurrency, counts, signal } = this.#options;
    const { queueName, mostBeside = 0 } = this.#handler;
    const maxUnsettled = concurrency + mostBeside;
    for await (const delivery of queue.consume(queueName, { signal, maxUnsettled })) {
      delivered();
      counts.deliveries += 1;
      if (delivery.attempt > 1) counts.redeliveries += 1;
      const handled = this.#handle(delivery).finally(() => this.#running.delete(handled));
      this.#running.add(handled);
      await this.#slots.free(signal);
    }
  }

  /** Resolves when everything is settled, or when that lasts too long: what is left is delivered again. */
  async finished(): Promise<void> {
    const { finishWithinMs = FINISH_WITHIN_MS, sleep = sleepByTimer } = this.#options;
    const settled = new AbortController();
    const all = Promise.all(this.#running).then(() => settled.abort());
    await Promise.race([all, sleep(finishWithinMs, settled.signal)]);
    const { size } = this.#running;
    if (size > 0) this.#handler.left(size);
  }

  async #handle(delivery: Delivery): Promise<void> {
    const { every = everyByTimer, queue } = this.#options;
    const stop = every(queue.ackDeadlineMs / 3, () => this.#tell(() => delivery.working()));
    const leaveSlot = this.#slots.take();
    try {
      await this.#settle(delivery, await this.#handler.handle(delivery, leaveSlot));
    } finally {
      leaveSlot();
      stop();
    }
  }

  async #settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    await this.#tell(() =>
      settlement.call === 'nak' ? delivery.nak(settlement.delayMs) : delivery[settlement.call](),
    );
  }

  /** What does not reach the queue is delivered again, which does no harm. */
  async #tell(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      const { counts, logger } = this.#options;
      counts.unsettled += 1;
      logger.warn({ problem: problemOf(error) }, 'the queue was not told of a delivery');
    }
  }
}
