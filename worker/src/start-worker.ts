import { noTracing, traceRun, type Tracing, type Metrics } from '@rollcall/host';
import {
  anchorKeyPaths,
  createSigningKey,
  type Adapters,
  type Closable,
  type SigningKey,
} from '@rollcall/adapters';
import {
  systemClock,
  type ImportRunner,
  type ProcessLogger,
  workOf,
  type Delivery,
  isRun,
} from '@rollcall/application';
import type { WorkerConfig } from './config.js';
import { labelOf, newWorkerCounts, type WorkerCounts } from './counts.js';
import { resendStalledImports } from './stalled-imports.js';
import { runAnchors, type HourlyAnchorsDeps } from './hourly-anchors.js';
import { consumeQueue, showDeliveries, type ConsumerOptions } from './consumer.js';
import { CompanyRuns, runCompany, type RunDeps, SharedExclusiveLock } from './run-company.js';
import { settlementOf, type DeliveryEnd } from './settlement.js';

interface StartWorkerOptions {
  readonly adapters: Pick<Adapters, 'log' | 'queue' | 'readModels'>;
  readonly config: Pick<WorkerConfig, 'adapters' | 'anchors' | 'concurrency' | 'keyFolder' | 'ownKeyFolder'>;
  readonly runner: Pick<ImportRunner, 'runOldest' | 'stopping'>;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
}

/** Runs queued imports and resends stalled companies' messages until closed. Recovers from errors. */
export function startWorker(options: StartWorkerOptions): Closable & { readonly counts: WorkerCounts } {
  const { adapters, config, logger, metrics } = options;
  const { log, queue, readModels } = adapters;
  const counts = newWorkerCounts();
  showCounts(metrics, counts);
  const runner = observedRunner(options.runner, metrics.families, options.tracing);
  const stop = new AbortController();
  const { signal } = stop;
  const clock = performance;
  const ended = Promise.all([
    runWorker({ queue, runner, counts, logger, concurrency: config.concurrency, signal }),
    resendStalledImports({ log, queue, readModels, counts, logger, clock, wallClock: systemClock, signal }),
    runAnchors({ ...anchoring(options), logger, signal }),
  ]);
  return {
    counts,
    close: async () => {
      stop.abort();
      options.runner.stopping();
      await ended;
    },
  };
}

function anchoring({ adapters, config }: StartWorkerOptions): HourlyAnchorsDeps {
  const { anchors, keyFolder, ownKeyFolder } = config;
  // Only the embedded log has an index of its heads.
  const readModels = config.adapters.eventLog.kind === 'embedded' ? undefined : adapters.readModels;
  const key = (): Promise<SigningKey> => createSigningKey(anchorKeyPaths(keyFolder, ownKeyFolder));
  return { log: adapters.log, clock: systemClock, readModels, key, anchors };
}

/** Companies whose large imports may wait for a thread before they delay others. */
const maxLargeWaiting = 256;

interface WorkerOptions extends ConsumerOptions {
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

function showCounts(metrics: Metrics, counts: WorkerCounts): void {
  const { workerEvents } = metrics.families;
  metrics.beforeScrape(() => {
    const { deliveries, redeliveries, ...events } = counts;
    showDeliveries(metrics, 'imports', { deliveries, redeliveries });
    workerEvents.reset();
    // Imports by outcome are in another metric.
    for (const [event, count] of Object.entries(events))
      if (typeof count === 'number') workerEvents.inc({ event: labelOf(event) }, count);
  });
}

type Runner = Pick<ImportRunner, 'runOldest'>;

/** Counts, times and traces each run. A poll that runs nothing, or throws, does not count. */
export const observedRunner = (
  runner: Runner,
  { importRuns }: Metrics['families'],
  tracing: Tracing = noTracing,
): Runner => ({
  runOldest: async (companyId, options) => {
    const [start, startedAt] = [performance.now(), Date.now()];
    const result = await runner.runOldest(companyId, options);
    if (!isRun(result)) return result;
    const outcome = result.kind === 'ended' ? result.outcome : result.kind;
    importRuns.observe({ kind: result.importKind, outcome }, (performance.now() - start) / 1_000);
    traceRun(tracing, result, startedAt);
    return result;
  },
});
