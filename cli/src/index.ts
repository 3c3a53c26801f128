export type { CliIo } from './cli-io.js';
export { cliVariables } from './config.js';
export { createProgram, run, type ExitCode } from './run.js';
export { processIo } from './stdio.js';
