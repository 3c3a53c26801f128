import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// `npm test` has built them; a single test that is run after `tsc -b` finds them as new as the sources all the same.
const script = fileURLToPath(new URL('../../../cli/bin/bundle.js', import.meta.url));
execFileSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'inherit', 'ignore'] });

/** The file that production runs for a process: a part of the service, or the command line. */
export const bundleOf = (name: string): string =>
  fileURLToPath(new URL(`../../../dist/${name}.js`, import.meta.url));

/** The command `rollcall` as it is installed. */
export const rollcallCommand = fileURLToPath(new URL('../../../cli/bin/rollcall.js', import.meta.url));
