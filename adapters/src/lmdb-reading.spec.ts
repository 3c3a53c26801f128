import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap from 'tap';
import { problemByReading } from './lmdb-reading.js';

/** Ends well from the second time on. */
const ONCE =
  "const { existsSync, writeFileSync } = require('node:fs'); const mark = process.argv[2] + '/mark'; if (existsSync(mark)) process.exit(0); writeFileSync(mark, '');";

const cases: readonly (readonly [program: string, problem: object | undefined])[] = [
  ['', undefined],
  ["process.kill(process.pid, 'SIGBUS')", { text: 'is cut off', isCertain: true }],
  ["process.kill(process.pid, 'SIGSEGV')", { text: /damaged: .* crashed \(SIGSEGV\)/, isCertain: true }],
  ['process.abort()', { text: /damaged: .* crashed \(SIGABRT\)/, isCertain: true }],
  [`${ONCE} process.abort()`, undefined],
  ["process.kill(process.pid, 'SIGKILL')", { text: /was killed/, isCertain: false }],
  ["throw new Error('MDB_CORRUPTED: a page')", { text: /damaged \(Error: MDB_CORRUPTED/, isCertain: true }],
  ["throw new Error('MDB_BAD_TXN')", { text: /failed \(Error: MDB_BAD_TXN\)/, isCertain: false }],
];

for (const [program, problem] of cases)
  tap.test(`a reader that does "${program}"`, async (t) => {
    const folder = t.testdir();
    const probe = join(folder, 'probe.cjs');
    writeFileSync(probe, program);
    t.match(await problemByReading(folder, probe), problem);
  });
