import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileMailer } from '@rollcall/adapters';
import t from 'tap';
import { exampleMail, mailerConformance } from './mailer.suite.js';
import { exactly } from '../support/exactly.js';

const read = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder).catch(() => [])).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
};

mailerConformance({
  adapter: 'file',
  open: async (t) => {
    const folder = join(t.testdir(), 'data', 'outbox');
    return { mailer: openFileMailer({ folder }), messages: () => read(folder) };
  },
});

/** Ends in the middle of writing a mail. */
const killed = (folder: string): string => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.writeSync = () => process.kill(process.pid, 'SIGKILL');
  syncBuiltinESMExports();
  const { openFileMailer } = await import('${import.meta.resolve('@rollcall/adapters')}');
  await openFileMailer({ folder: ${JSON.stringify(folder)} }).send(${JSON.stringify(exampleMail())});`;

t.test('file: an address stands in one pair of brackets, quoted or not', async (t) => {
  const folder = t.testdir();
  const mailer = openFileMailer({ folder });
  const addresses = ['a.b@example.com', 'a..b@example.com'];
  for (const name of ['Astrid', '=?utf-8?Q?Astrid?='])
    for (const address of addresses)
      await mailer.send(exampleMail({ to: { name, address }, messageId: `${name.length}-${address}` }));
  const headers = (await read(folder)).map((raw) => /^To: .*?(<.*)\r$/m.exec(raw)?.[1]);
  t.same(
    headers,
    [...Array<string[]>(2)].flatMap(() => ['<"a..b"@example.com>', '<a.b@example.com>']),
  );
});

t.test('file: a repeat is the same file, for its owner alone', async (t) => {
  const folder = join(t.testdir(), 'outbox');
  const mailer = openFileMailer({ folder });
  await mailer.send(exampleMail({ text: 'first' }));
  await mailer.send(exampleMail({ text: 'second' }));
  t.same(await readdir(folder), ['aaaa-bbbb@example.com.eml']);
  t.match(await read(folder), exactly([/second/]));
  t.equal((await stat(join(folder, 'aaaa-bbbb@example.com.eml'))).mode & 0o777, 0o600);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
});

t.test('file: a folder that cannot be one defers, one that is gone is made again', async (t) => {
  const folder = join(t.testdir({ outbox: 'a file' }), 'outbox');
  const mailer = openFileMailer({ folder });
  t.match(await mailer.send(exampleMail()), { outcome: 'deferred', code: 'EEXIST' });
  await rm(folder);
  t.match(await mailer.send(exampleMail()), { outcome: 'sent' });
  await rm(folder, { recursive: true });
  t.match(await mailer.send(exampleMail()), { outcome: 'sent' });
});

t.test('file: neither a full disk nor a killed process leaves a part of a mail', async (t) => {
  const folder = t.testdir();
  const mailer = openFileMailer({ folder });
  const { writeSync } = fs;
  const isFull = (file: number): void => {
    writeSync(file, 'Hello');
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  Object.assign(fs, { writeSync: isFull });
  syncBuiltinESMExports();
  t.match(await mailer.send(exampleMail()), { outcome: 'deferred', code: 'ENOSPC' });
  Object.assign(fs, { writeSync });
  syncBuiltinESMExports();
  t.same(await readdir(folder), []);
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', killed(folder)]);
  t.equal(child.signal, 'SIGKILL');
  t.equal((await readdir(folder)).length, 1);
  t.match(await mailer.send(exampleMail()), { outcome: 'sent' });
  t.same(await readdir(folder), ['aaaa-bbbb@example.com.eml']);
});

t.test('file: what a killed process has left of a mail that is never sent again goes', async (t) => {
  const folder = t.testdir({
    '.gone@example.com.new': 'Hel',
    '.now@example.com.new': 'Hel',
    'old.eml': '',
    '.keep': '',
  });
  for (const name of ['.gone@example.com.new', 'old.eml', '.keep'])
    await utimes(join(folder, name), new Date(), Date.now() / 1000 - 601);
  openFileMailer({ folder });
  t.same((await readdir(folder)).sort(), ['.keep', '.now@example.com.new', 'old.eml']);
});
