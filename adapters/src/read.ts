/** What a process needs of the adapters and its host that only reads the log. */

export { collectYoung } from './host/collect-leftovers.js';
export { commonConfig, type CommonConfig, commonVariables } from './host/common-config.js';
export { readEnvironment } from './host/environment.js';
export { openInstallation, serveOperations } from './host/installation.js';
export { type Closable, openInParts } from './host/parts.js';
export { partProblems } from './host/readiness.js';
export { runProcess } from './host/run-process.js';
export { openTracing } from './host/tracing/open-tracing.js';
export { noTracing, type Tracing, type TracingConfig } from './host/tracing/tracing.js';
export { openReadingAdapters, type ReadingAdapters } from './open-for-reading.js';
export { openEmbeddedReadModels } from './read-models/embedded/open.js';
