/** For processes that only read the log. */

export { commonConfig, type CommonConfig, commonVariables } from './configuration/common-config.js';
export { readEnvironment } from './configuration/environment.js';
export { partProblems } from './health/readiness.js';
export { temporaryFolders } from './installation/folder-use.js';
export { openInstallation } from './installation/installation.js';
export { runProcess } from './process/run-process.js';
export { openTracing } from './tracing/open-tracing.js';
export { noTracing, type Tracing, type TracingConfig } from './tracing/tracing.js';
