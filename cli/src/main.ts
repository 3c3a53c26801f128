import { run } from './run.js';
import { processIo } from './stdio.js';

/** A finished process may still have something open, such as a DNS request. */
const maxExitMs = 1_000;

/** The service's part for `bin/rollcall.js` to run, if any. */
export let part: string | undefined;

process.exitCode = await run(
  process.argv.slice(2),
  processIo((asked) => {
    part = asked;
  }),
);
// Only once a slow reader has taken all: an exit drops what waits for a full pipe.
if (part === undefined) process.stdout.write('', () => setTimeout(() => process.exit(), maxExitMs).unref());
