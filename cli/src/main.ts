import { run } from './run.js';
import { processIo } from './stdio.js';

/** So long a process that has done its work may still have something open, such as a question to a name server. */
const endsWithinMs = 1_000;

process.exitCode = await run(process.argv.slice(2), processIo());
setTimeout(() => process.exit(), endsWithinMs).unref();
