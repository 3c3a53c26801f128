// One line for all runs, from the last line of each. Fails where anything failed, a run did not come to its end, or, with
// TEST_SERVERS=required, anything was skipped.
import { existsSync, readFileSync } from 'node:fs';

/** `npm test`, `npm run test:faults`, `npm run test:page`, `npm run test:image` and `.ci/nodes.sh`. */
const runs = 5;
const [, , file] = process.argv;
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
const sum = (word) =>
  lines.reduce((before, line) => before + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);

const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map(sum);
const missing = runs - lines.length;
if (missing > 0) console.error(`${missing} of ${runs} runs did not come to their end`);
const refused = process.env.TEST_SERVERS === 'required' ? skipped : 0;
if (refused > 0)
  console.error(`${refused} skipped, and TEST_SERVERS=required allows none: see 'skipped in' above`);
console.log(`${passed} passed, ${failed + missing} failed, ${skipped} skipped`);
process.exitCode = failed + missing + refused > 0 || passed === 0 ? 1 : 0;
