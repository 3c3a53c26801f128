import { chmodSync, readdirSync, readFileSync, rmSync, truncateSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedEventLog } from '@rollcall/adapters';
import tap from 'tap';
import { newEvent } from '../conformance/event-log.support.js';
import { bundleOf } from '../support/bundles.js';
import { Program, type Ended } from '../support/program.js';
import { start, whileRunning } from '../standalone/start.js';
import { childEnv, objectOf, rollcallOn } from './rollcall.js';

const PAGE = 4096;

const fileIn = (dataDir: string, store: string): string => join(dataDir, store, 'data.mdb');

/** Empties the pages that hold such a text, as a disk may: what refers to them is still there. */
function emptyPages(file: string, text: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const page = at - (at % PAGE);
    bytes.fill(0, page, page + PAGE);
  }
  writeFileSync(file, bytes);
}

async function killWhileRunning(dataDir: string): Promise<void> {
  const running = start(dataDir);
  await running.address;
  await running.child.kill();
}

/** With so many events that they lie in several pages. */
async function fillLog(dataDir: string): Promise<void> {
  const log = await openEmbeddedEventLog({ folder: join(dataDir, 'event-log') });
  for (let n = 0; n < 300; n += 1)
    await log.append(`survey-${n}`, 'no-stream', [newEvent(`event number ${n}, ${'x'.repeat(300)}`)]);
  await log.close();
}

const marksIn = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith('.in-use-'));

const damagedLog = /^The file data\.mdb in \S+event-log is damaged: .* crashed .*Restore it from a backup\n$/;

tap.test('damage inside the log: a finding that names the file, whoever reads all of it', async (t) => {
  const dataDir = t.testdir();
  await whileRunning(dataDir);
  t.same(marksIn(dataDir), []);
  await fillLog(dataDir);
  emptyPages(fileIn(dataDir, 'event-log'), 'event number 150,');
  const rollcall = rollcallOn(dataDir);
  t.match(await rollcall('audit verify'), { code: 1, out: '', err: damagedLog });
  const json = await rollcall('audit verify --json');
  t.equal(json.code, 1);
  t.match(objectOf(json), { ok: false, notChecked: null, log: /is damaged/, readModels: null });
  t.match(await rollcall('projections rebuild'), { code: 1, out: '', err: damagedLog });
  t.match(await rollcall('doctor'), { code: 1, out: /RED +event log +The file data\.mdb in .* is damaged/ });
  t.same(marksIn(dataDir), [], 'they have ended by themselves');
});

tap.test('a log that was cut off: exit code 1', async (t) => {
  const dataDir = t.testdir();
  await whileRunning(dataDir);
  const file = fileIn(dataDir, 'event-log');
  truncateSync(file, statSync(file).size >> 1);
  const ran = await rollcallOn(dataDir)('audit verify');
  t.match(ran, { code: 1, out: '', err: /^The file data\.mdb in \S+event-log is cut off; .* backup\n$/ });
});

tap.test('after a kill the files are read before they are used', async (t) => {
  const dataDir = t.testdir();
  await killWhileRunning(dataDir);
  t.equal(marksIn(dataDir).length, 1);
  const rollcall = rollcallOn(dataDir);
  t.match(await rollcall('company show --company 1'), { code: 0, err: '' });
  t.same(marksIn(dataDir), [], 'once, where they are whole');
  await killWhileRunning(dataDir);
  emptyPages(fileIn(dataDir, 'read-models'), 'Demo');
  const named = start(dataDir);
  const { code, err } = await named.child.ended;
  t.equal(code, 1);
  t.match(err, /^The file data\.mdb in \S+read-models is damaged.*delete the folder/);
  rmSync(join(dataDir, 'read-models'), { recursive: true });
  t.match(await whileRunning(dataDir), /Rollcall listens/);
  t.same(marksIn(dataDir), []);
});

tap.test('a process killed before it wrote the first page of a store left nothing behind', async (t) => {
  const dataDir = t.testdir();
  await killWhileRunning(dataDir);
  for (const store of ['event-log', 'read-models']) truncateSync(fileIn(dataDir, store), 0);
  t.equal(marksIn(dataDir).length, 1, 'the next start reads them');
  t.match(await whileRunning(dataDir), /Company +1 "Demo"/);
});

/** Runs it as a user whom the permissions of files bind: they do not bind root. */
function bound(dataDir: string, ...words: readonly string[]): Promise<Ended> {
  const args = [process.execPath, bundleOf('rollcall'), ...words];
  const [command = '', ...rest] =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', ...args] : args;
  return new Program(rest, { command, env: childEnv({ DATA_DIR: dataDir }), quiet: true }).ended;
}

tap.test('a file of a store that this user may not write: its name and the remedy', async (t) => {
  const dataDir = t.testdir();
  await whileRunning(dataDir);
  for (const name of ['lock.mdb', 'data.mdb'])
    for (const store of ['event-log', 'read-models']) {
      const file = join(dataDir, store, name);
      chmodSync(file, 0o444);
      const refusal = `${store.replace('-', ' ')} in ${file} cannot be written by this user: correct its owner`;
      t.match(await bound(dataDir, 'imports', 'list', '--company', '1'), { code: 1, out: '', err: refusal });
      t.match(await bound(dataDir, 'doctor'), { code: 1, out: refusal });
      if (store === 'event-log')
        t.match(await bound(dataDir, 'audit', 'log'), {
          code: 0,
          err: `opened read-only: this user may not write to ${file}`,
        });
      chmodSync(file, 0o600);
    }
});
