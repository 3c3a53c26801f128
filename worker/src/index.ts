export { readWorkerConfig, type WorkerConfig } from './config.js';
export { newWorkerCounts, type WorkerCounts } from './counts.js';
export { DUE_AFTER_MS, DueWork, runDueWork, type DueWorkDeps, type DueWorkOptions } from './due-work.js';
export { runWorker, type WorkerOptions } from './run-worker.js';
export { settlementOf, type RunEnd, type Settlement } from './settle.js';
export { startWorker, type RunningWorker, type StartWorkerOptions } from './start-worker.js';
