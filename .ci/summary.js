// What failed, with its details, which files took longest, and in one line what tap's own totals say. Fails where anything
// failed or nothing ran.
import { readFileSync } from 'node:fs';

const report = readFileSync(process.argv[2], 'utf8');
const lines = report.split('\n');

/** The first lines of a failure's diagnostics stand below it. */
const shownLines = 30;

const fileOf = (line) => /^# Subtest: (\S+)$/.exec(line)?.[1];
let file = '';
lines.forEach((line, index) => {
  file = fileOf(line) ?? file;
  const indent = /^( *)not ok /.exec(line)?.[1].length;
  if (indent === undefined) return;
  const below = lines.slice(index + 1, index + 1 + shownLines);
  const end = below.findIndex(
    (next) => /^ *(ok|not ok) /.test(next) || next === `${' '.repeat(indent)}  ...`,
  );
  console.log([`FAILED in ${file}:`, line, ...below.slice(0, end < 0 ? shownLines : end)].join('\n'));
});

const times = [...report.matchAll(/^(?:not )?ok \d+ - (\S+) # time=([\d.]+)ms$/gm)]
  .map(([, name, ms]) => ({ name, seconds: Number(ms) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds);
for (const { name, seconds } of times.slice(0, 8)) console.log(`${seconds.toFixed(0).padStart(5)} s ${name}`);

const totals = report.match(/^# \{ total: \d+,.*\}$/gm)?.at(-1) ?? '';
const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);

// A file that crashed has no failed assertion, and failed all the same.
const failedFiles = report.match(/^not ok /gm)?.length ?? 0;
const passed = count('pass');
const failed = Math.max(count('fail'), failedFiles);
if (passed + failed === 0) console.error('No totals from tap: the run did not end.');
console.log(`${passed} passed, ${failed} failed, ${count('skip') + count('todo')} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
