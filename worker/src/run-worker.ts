import { workOf, type Delivery, type ImportRunner } from '@rollcall/application';
import { consumeQueue, type ConsumerOptions } from './consumer.js';
import type { WorkerCounts } from './counts.js';
import { CompanyRuns, runCompany, type RunDeps, settlementOf, type DeliveryEnd } from './run-company.js';
import { SharedExclusiveLock } from './shared-exclusive-lock.js';

/** Companies whose large imports may wait for a thread before they delay others. */
const maxLargeWaiting = 256;

export interface WorkerOptions extends ConsumerOptions {
  readonly runner: Pick<ImportRunner, 'runOldest'>;
  readonly counts: WorkerCounts;
}

/** Runs pending imports until the signal aborts. Correctness rests on the log alone (design: "Imports in order"). */
export function runWorker(options: WorkerOptions): Promise<void> {
  const { logger } = options;
  const shared = { runs: new CompanyRuns(), lock: new SharedExclusiveLock() };
  return consumeQueue(options, {
    queueName: 'imports',
    maxWithoutSlot: maxLargeWaiting,
    handle: async (delivery, leaveSlot) =>
      settlementOf(await endOf({ ...options, ...shared }, delivery, leaveSlot), delivery.attempt),
    left: (companies) => logger.warn({ companies }, 'imports are left to another worker'),
  });
}

async function endOf(deps: RunDeps, delivery: Delivery, leaveSlot: () => void): Promise<DeliveryEnd> {
  const work = workOf(delivery.body);
  if (work !== undefined) return runCompany(deps, work, leaveSlot);
  const { counts, logger } = deps;
  counts.malformed += 1;
  logger.error({ bytes: delivery.body.length }, 'a message of the queue is none that is known');
  return 'malformed';
}
