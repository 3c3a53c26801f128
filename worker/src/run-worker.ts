import {
  companyOfWork,
  everyByTimer,
  framesOf,
  growingDelay,
  problemOf,
  sleep as sleepByTimer,
  type Delivery,
  type Every,
  type ImportRunner,
  type ProcessLogger,
  type Queue,
  type Sleep,
} from '@rollcall/adapters';
import { CompanyRuns } from './company-runs.js';
import type { WorkerCounts } from './counts.js';
import { runCompany } from './run-company.js';
import { settlementOf, type RunEnd } from './settle.js';

const FIRST_DELAY_MS = 500;
const LAST_DELAY_MS = 15_000;

/** How long imports that run when the worker is told to stop have to end. */
const FINISH_WITHIN_MS = 20_000;

export interface WorkerOptions {
  readonly queue: Pick<Queue, 'consume' | 'ackDeadlineMs'>;
  readonly runner: Pick<ImportRunner, 'runOldest'>;
  readonly counts: WorkerCounts;
  readonly logger: ProcessLogger;
  /** How many companies are run at once. */
  readonly concurrency: number;
  /** Ends the worker: it begins no further import and waits for those that run, a while. */
  readonly signal: AbortSignal;
  readonly finishWithinMs?: number;
  readonly sleep?: Sleep;
  readonly every?: Every;
}

/**
 * Runs the imports of companies that have work until the signal aborts. Correctness rests on the log alone: a message more or
 * less, or one that somebody else has too, does no harm (design: "Imports in order"). A queue that is away is tried again
 * after growing delays.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { signal, counts, logger, sleep = sleepByTimer } = options;
  const deliveries = new Deliveries(options);
  let failures = 0;
  while (!signal.aborted) {
    try {
      await deliveries.consume(() => (failures = 0));
    } catch (error) {
      counts.queueLost += 1;
      logger.error({ problem: problemOf(error), frames: framesOf(error) }, 'the queue cannot be read');
    }
    failures += 1;
    await sleep(growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS), signal);
  }
  await deliveries.finished();
}

/** The deliveries that are under way. */
class Deliveries {
  readonly #options: WorkerOptions;
  readonly #runs = new CompanyRuns();
  readonly #running = new Set<Promise<void>>();

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async consume(delivered: () => void): Promise<void> {
    const { queue, concurrency: maxUnsettled, counts, signal } = this.#options;
    for await (const delivery of queue.consume('imports', { signal, maxUnsettled })) {
      delivered();
      counts.deliveries += 1;
      if (delivery.attempt > 1) counts.redeliveries += 1;
      const handled = this.#handle(delivery).finally(() => this.#running.delete(handled));
      this.#running.add(handled);
    }
  }

  /** Resolves when everything is settled, or when that lasts too long: what is left is delivered again. */
  async finished(): Promise<void> {
    const { finishWithinMs = FINISH_WITHIN_MS, logger, sleep = sleepByTimer } = this.#options;
    const settled = new AbortController();
    const all = Promise.all(this.#running).then(() => settled.abort());
    await Promise.race([all, sleep(finishWithinMs, settled.signal)]);
    const { size } = this.#running;
    if (size > 0) logger.warn({ companies: size }, 'imports are left to another worker');
  }

  async #handle(delivery: Delivery): Promise<void> {
    const { every = everyByTimer, queue } = this.#options;
    const stop = every(queue.ackDeadlineMs / 3, () => this.#tell(() => delivery.working()));
    try {
      const end = await this.#endOf(delivery);
      await this.#settle(delivery, end);
    } finally {
      stop();
    }
  }

  async #endOf(delivery: Delivery): Promise<RunEnd> {
    const companyId = companyOfWork(delivery.body);
    if (companyId !== undefined) return runCompany({ ...this.#options, runs: this.#runs }, companyId);
    const { counts, logger } = this.#options;
    counts.malformed += 1;
    logger.error({ bytes: delivery.body.length }, 'a message of the queue is none that is known');
    return 'malformed';
  }

  async #settle(delivery: Delivery, end: RunEnd): Promise<void> {
    const settlement = settlementOf(end, delivery.attempt);
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
