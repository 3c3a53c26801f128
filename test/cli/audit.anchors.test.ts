import { openAdapters, type Adapters } from '@rollcall/adapters';
import { systemClock } from '@rollcall/application';
import { projections } from '@rollcall/projector';
import {
  appendFile,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import tap from 'tap';
import { append, projectAll, survey } from '../projector/projector.support.js';
import { objectOf, rollcallWithin, type Ran } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const open = (dataDir: string): Promise<Adapters> => openAdapters(embeddedAdapters(dataDir));

async function withLog<T>(dataDir: string, work: (adapters: Adapters) => Promise<T>): Promise<T> {
  const adapters = await open(dataDir);
  try {
    return await work(adapters);
  } finally {
    await adapters.close();
  }
}

const project = (dataDir: string): Promise<void> =>
  withLog(dataDir, (adapters) => projectAll({ ...adapters, projections }));

tap.test('an anchor kept elsewhere: what fits, what is later, and a log whose end was cut off', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  const other = rollcallWithin(join(dataDir, 'other'));
  for (const words of [
    'company configure --company 7',
    'user add --company 7 --name HR',
    'token issue --user 1',
  ])
    await other(words);
  const kept = join(dataDir, 'kept.ndjson');
  const first = await rollcall(['audit', 'anchor', '--file', kept]);
  t.match(first, { code: 0, err: '', out: /^\{"format":1,"installationId":"[0-9a-f-]{36}","time":"/ });
  t.equal(await readFile(kept, 'utf8'), first.out, 'the file holds what is printed');
  await rollcall('company configure --company 8');
  await appendFile(kept, '{"format":1,"ti');
  const next = await rollcall(['audit', 'anchor', '--file', kept]);
  t.equal(await readFile(kept, 'utf8'), first.out + next.out, 'what a full disk has left of a line is gone');
  await rollcall('company configure --company 9');
  await project(dataDir);
  const verify = (...more: string[]): Promise<Ran> =>
    rollcall(['audit', 'verify', '--anchor', kept, ...more]);
  t.match(await verify(), {
    code: 0,
    err: '',
    out: /nothing is missing or changed among the first 4 events\. Whether any were cut off behind the 1 later one cannot/,
  });
  const publicKeys = join(dataDir, 'keys', 'anchors');
  const [name = ''] = await readdir(publicKeys);
  t.match(await verify('--keys', publicKeys), { code: 0, out: /among the first 4 events/ });
  await rename(join(publicKeys, name), join(publicKeys, 'other.pem'));
  const unknown = /no public key [0-9a-f]{16} is known/;
  t.match(await verify('--keys', publicKeys), { code: 1, err: unknown });
  const unchecked = await verify();
  t.match(unchecked, { code: 0, out: new RegExp(`\nNotice: ${unknown.source}`) });
  t.notMatch(unchecked, { out: /nothing is missing/ }, 'an unchecked anchor shows nothing');
  await rename(join(publicKeys, 'other.pem'), join(publicKeys, name));
  const elsewhere = join(dataDir, 'keys-elsewhere');
  t.match(await verify('--keys', elsewhere), { code: 2, out: '', err: /keys-elsewhere has no public key/ });
  const [token = ''] = await readdir(join(dataDir, 'other', 'keys', 'public'));
  await mkdir(elsewhere);
  await copyFile(join(dataDir, 'other', 'keys', 'public', token), join(elsewhere, token));
  t.match(await verify('--keys', elsewhere), { code: 1, err: unknown });
  await symlink('round', join(dataDir, 'round'));
  const unread = { code: 3, out: '', err: /^The keys of anchors cannot be read: ELOOP.*round/ };
  t.match(await verify('--keys', join(dataDir, 'round')), unread);
  await writeFile(join(dataDir, 'empty'), '\n');
  t.match(await verify('--anchor', join(dataDir, 'empty')), { code: 2, out: '', err: /empty is empty/ });
  t.match(await verify('--anchor', dataDir), { code: 2, out: '', err: /cannot be read: EISDIR/ });

  const [, second = ''] = (await readFile(kept, 'utf8')).split('\n');
  await writeFile(kept, second.replace(/"signature":"./, '"signature":"_'));
  t.match(await verify(), { code: 2, out: '', err: /kept\.ndjson is no anchor\.$/m });
  await writeFile(kept, second.replace(/"time":"..../, '"time":"2001'));
  t.match(await verify(), {
    code: 1,
    out: /^The log is whole/,
    err: /^The anchor of 2001.* wrong signature$/m,
  });

  const copy = join(dataDir, 'shorter');
  const shorter = rollcallWithin(copy, { SHARED_KEYS: join(dataDir, 'keys') });
  await shorter('company configure --company 7');
  await writeFile(kept, second);
  t.match(await shorter(['audit', 'verify', '--anchor', kept]), {
    code: 1,
    out: /^The log is whole/,
    err: /covers 4 events in 3 streams, and the log has 3 in 2: its end was cut off.*\n.*of another installation/,
  });
});

tap.test('without the private key of before, another is made beside it', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  const kept = join(dataDir, 'kept.ndjson');
  await rollcall(['audit', 'anchor', '--file', kept]);
  await rm(join(dataDir, 'keys', 'anchor.pem'));
  await rollcall(['audit', 'anchor', '--file', kept]);
  const kids = new Set((await readFile(kept, 'utf8')).match(/"kid":"\w+"/g));
  t.equal(kids.size, 2);
  const ran = await rollcall(['audit', 'verify', '--anchor', kept]);
  t.match(ran, { err: '', out: /By the anchor of/ });
  t.notMatch(ran, { out: /Notice/ }, 'both public keys are valid');
});

tap.test('an anchor, a proof and its check are one object each', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  const event = await withLog(dataDir, ({ log }) => log.readLast('company-7'));
  const { stream, revision, type, id = '' } = event ?? {};
  const kept = join(dataDir, 'kept.ndjson');
  const { installationId, time, kid } = objectOf(
    await rollcall(['audit', 'anchor', '--file', kept, '--json']),
  );
  const proof = await rollcall(['audit', 'prove', '--event', id, '--anchor', kept, '--json']);
  const file = join(dataDir, 'proof.json');
  await writeFile(file, `${JSON.stringify(objectOf(proof))}\n`);
  const checked = objectOf(await rollcall(['audit', 'verify-proof', '--file', file, '--json']));
  t.strictSame(checked, { event: id, type, stream, revision, installationId, time, kid });
});

tap.test('a log without events has no anchor', async (t) => {
  const dataDir = t.testdir();
  await withLog(dataDir, async () => undefined);
  t.match(await rollcallWithin(dataDir)('audit anchor'), { code: 1, err: /no events yet/ });
});

tap.test('a stream that was removed is missed by the next anchor of its time', async (t) => {
  const dataDir = t.testdir();
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7');
  await withLog(dataDir, async ({ log }) => {
    for (const id of [1, 2]) await append({ log, clock: systemClock }, `survey-${id}`, survey(id, 'One'));
  });
  const kept = join(dataDir, 'kept.ndjson');
  await rollcall(['audit', 'anchor', '--file', kept]);
  await project(dataDir);
  await withLog(dataDir, async ({ log }) => {
    await log.deleteStream('survey-1');
    await append({ log, clock: systemClock }, 'survey-3', survey(3, 'Three'));
  });
  t.match(await rollcall(['audit', 'verify', '--anchor', kept]), {
    code: 1,
    out: /^The log is whole/,
    err: /does not fit: events since the beginning were .*\nsurvey-1 is gone; the read models know its revision 0$/m,
  });
});
