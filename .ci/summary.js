// Says in one line what tap's own totals say, and fails where anything failed or nothing ran.
import { readFileSync } from 'node:fs';

const report = readFileSync(process.argv[2], 'utf8');
const totals = report.match(/^# \{ total: \d+,.*\}$/gm)?.at(-1) ?? '';
const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals)?.[1] ?? 0);

// A file that crashed has no failed assertion, and failed all the same.
const failedFiles = report.match(/^not ok /gm)?.length ?? 0;
const passed = count('pass');
const failed = Math.max(count('fail'), failedFiles);
if (passed + failed === 0) console.error('No totals from tap: the run did not end.');
console.log(`${passed} passed, ${failed} failed, ${count('skip') + count('todo')} skipped`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
