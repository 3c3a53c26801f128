export type { CliIo } from './cli-io.js';
export { cliVariables } from './config.js';
export { createProgram, run } from './run.js';
