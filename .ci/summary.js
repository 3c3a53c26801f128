// One line for all runs, from the last line of each. Fails where anything failed, a run did not come to its end, or, with
// TEST_SERVERS=required, anything was skipped. The second file is of the containers: the Docker engine may not start here.
import { existsSync, readFileSync } from 'node:fs';

/** `npm test`, `npm run test:faults`, `npm run test:page`, `npm run test:image` and `.ci/nodes.sh`. */
const runs = 5;
const [, , file, containers = ''] = process.argv;
const linesOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const lines = [...linesOf(file), ...linesOf(containers)];
const sum = (word, of = lines) =>
  of.reduce((before, line) => before + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);

const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((word) => sum(word));
const missing = runs - lines.length;
if (missing > 0) console.error(`${missing} of ${runs} runs did not come to their end`);
const refused = process.env.TEST_SERVERS === 'required' ? sum('skipped', linesOf(file)) : 0;
if (refused > 0)
  console.error(
    `${refused} skipped outside of the containers, and TEST_SERVERS=required allows none: see 'skipped in' above`,
  );
console.log(`${passed} passed, ${failed + missing} failed, ${skipped} skipped`);
process.exitCode = failed + missing + refused > 0 || passed === 0 ? 1 : 0;
