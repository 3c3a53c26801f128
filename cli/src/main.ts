import { run } from './run.js';
import { processIo } from './stdio.js';

process.exitCode = await run(process.argv.slice(2), processIo());
