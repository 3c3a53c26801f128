import { measuredRunner, noTracing, tracedRunner, type Tracing, type Metrics } from '@rollcall/host';
import type { Adapters, Closable } from '@rollcall/adapters';
import { systemClock, type ImportRunner, type ProcessLogger } from '@rollcall/application';

import { newWorkerCounts, type WorkerCounts } from './counts.js';
import { showCounts } from './worker-metrics.js';
import { resendStalledImports } from './stalled-imports.js';
import { runWorker } from './run-worker.js';

export interface StartWorkerOptions {
  readonly adapters: Pick<Adapters, 'log' | 'queue' | 'readModels'>;
  readonly runner: Pick<ImportRunner, 'runOldest' | 'stopping'>;
  readonly concurrency: number;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
  readonly tracing?: Tracing;
}

export interface RunningWorker extends Closable {
  readonly counts: WorkerCounts;
}

/** Runs queued imports and resends stalled companies' messages until closed. Recovers from errors. */
export function startWorker(options: StartWorkerOptions): RunningWorker {
  const { adapters, concurrency, logger, metrics } = options;
  const { log, queue, readModels } = adapters;
  const counts = newWorkerCounts();
  showCounts(metrics, counts);
  const runner = tracedRunner(measuredRunner(options.runner, metrics.families), options.tracing ?? noTracing);
  const stop = new AbortController();
  const { signal } = stop;
  const clock = { now: () => performance.now() };
  const ended = Promise.all([
    runWorker({ queue, runner, counts, logger, concurrency, signal }),
    resendStalledImports({ log, queue, readModels, counts, logger, clock, wallClock: systemClock, signal }),
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
