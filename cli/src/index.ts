export type { CliIo } from './cli-io.js';
export { cliVariables } from './config.js';
export { run, type ExitCode } from './run.js';
export { processIo } from './stdio.js';
