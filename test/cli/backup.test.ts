import { openAdapters } from '@rollcall/adapters';
import { newId, type EventToAppend } from '@rollcall/application';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { until } from '../support/until.js';
import { objectOf, rollcallOn, rollcallWithin, type Ran } from './rollcall.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

interface Places {
  readonly folder: string;
  readonly dataDir: string;
  readonly copy: string;
  readonly restored: string;
  readonly rollcall: (words: string) => Promise<Ran>;
}

/** A company, a user and a token, and where a copy and what is restored from it may lie. */
async function installation(t: Test): Promise<Places> {
  const folder = t.testdir();
  const dataDir = join(folder, 'data');
  const rollcall = rollcallWithin(dataDir);
  await rollcall('company configure --company 7 --name Seven');
  await rollcall('user add --company 7 --name HR --role HRIntegration');
  await rollcall('token issue --user 1');
  return { folder, dataDir, copy: join(folder, 'copy'), restored: join(folder, 'restored'), rollcall };
}

const without = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

tap.test('a copy is restored, with log, keys and read models', async (t) => {
  const { dataDir, copy, restored, rollcall } = await installation(t);
  writeFileSync(join(dataDir, 'keys', `.${process.pid}-${newId()}.new`), 'half of a key');
  const made = await rollcall(`backup --to ${copy}`);
  t.same([made.code, made.err], [0, '']);
  t.notOk(existsSync(join(copy, 'event-log', 'lock.mdb')));
  t.equal(readdirSync(join(copy, 'keys')).filter((name) => name.startsWith('.')).length, 0);

  await rollcall('company configure --company 8');
  const { code, out, err } = await rollcall(`restore --from ${copy} --data-dir ${restored}`);
  t.same([code, err], [0, '']);
  t.match(out, /The log is whole: 5 events[^]*The set of 1 company[^]*The read models are what the log says/);
  t.same(readdirSync(restored).sort(), ['event-log', 'keys', 'last-verified.json', 'read-models']);
  for (const key of ['digest.key', 'private.pem'])
    t.same(readFileSync(join(restored, 'keys', key)), readFileSync(join(dataDir, 'keys', key)), key);
  const on = rollcallWithin(restored);
  t.match(objectOf(await on('company list --json')), { companies: { length: 1, 0: { companyId: 7 } } });
  t.equal((await on('company configure --company 9')).code, 0, 'it goes on');
  t.equal((await on('audit verify')).code, 0);
});

tap.test('a copy is verified as it is, and stays so', async (t) => {
  const { copy, rollcall } = await installation(t);
  await rollcall(`backup --to ${copy}`);
  const contents = (): unknown[] =>
    readdirSync(copy, { recursive: true }).filter((path) => !String(path).endsWith('lock.mdb'));
  const before = contents();
  const { code, out, err } = await rollcallWithin(copy)('audit verify');
  t.same(code, 0, err);
  t.match(err, /opened read-only: it is a copy/);
  t.match(out, /The log is whole: 5 events[^]*The set of 1 company[^]*Read models are not compared/);
  t.equal((await rollcallWithin(copy)(`audit export --all --out ${copy}-export`)).code, 0);
  const onCopy = rollcallWithin(copy, { EVENTSTOREDB_URL: 'esdb://127.0.0.1:9?tls=false' });
  for (const words of [
    ...['company list', 'company configure --company 8', `backup --to ${copy}-again`],
    'move --from embedded --to eventstoredb',
  ])
    t.match(await onCopy(words), { code: 1, out: '', err: /is a copy/ }, words);
  t.same(contents(), before);
});

tap.test('a folder that cannot be looked into is not one without data', async (t) => {
  const folder = t.testdir();
  symlinkSync('round', join(folder, 'round'));
  for (const words of ['company list', `backup --to ${folder}/copy`])
    t.match(await rollcallWithin(join(folder, 'round'))(words), { code: 1, err: /^ELOOP.*round\/event-log/ });
});

tap.test('a copy without keys needs them to be restored', async (t) => {
  const { folder, dataDir, copy, restored, rollcall } = await installation(t);
  const made = objectOf(await rollcall(`backup --to ${copy} --without-keys --json`));
  t.match(made, { hasKeys: false, folder: copy, format: 1 });
  t.same(readdirSync(copy).sort(), ['event-log', 'manifest.json']);
  const alone = await rollcall(`restore --from ${copy} --data-dir ${restored}`);
  t.match(alone, { code: 1, err: /holds no keys: name their folder with --keys/ });
  const other = join(folder, 'other');
  await rollcallWithin(other)('company configure --company 7');
  const foreign = await rollcall(
    `restore --from ${copy} --data-dir ${restored} --keys ${join(other, 'keys')}`,
  );
  t.match(foreign, { code: 1, err: /is not the key of this event log/ });
  t.same(without(restored), [], 'nothing is left of it');
  const ran = await rollcall(
    `restore --from ${copy} --data-dir ${restored} --keys ${join(dataDir, 'keys')} --json`,
  );
  t.same([ran.code, objectOf(ran)['dataDir']], [0, restored]);
});

tap.test('what was deleted is not in a copy', async (t) => {
  const { dataDir, copy, rollcall } = await installation(t);
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const stream = `payload-${newId()}`;
  const data = Buffer.from('Ann Example '.repeat(20_000));
  await adapters.log.append(stream, 'no-stream', [
    { id: newId(), type: 'DataPiece', contentType: 'binary', data, metadata: Buffer.from('{}') },
  ]);
  t.ok(readFileSync(join(dataDir, 'event-log', 'data.mdb')).includes('Ann Example'));
  await adapters.log.deleteStream(stream);
  await adapters.close();
  t.equal((await rollcall(`backup --to ${copy}`)).code, 0);
  t.notOk(readFileSync(join(copy, 'event-log', 'data.mdb')).includes('Ann Example'));
});

tap.test('what is damaged or cut off is not restored', async (t) => {
  const { folder, copy, restored, rollcall } = await installation(t);
  await rollcall(`backup --to ${copy}`);
  const attempt = async (name: string, spoil: (folder: string) => void): Promise<Ran> => {
    const spoiled = join(folder, name);
    cpSync(copy, spoiled, { recursive: true });
    spoil(spoiled);
    const ran = await rollcall(`restore --from ${spoiled} --data-dir ${restored}`);
    t.same(without(restored), [], `${name}: nothing is left of it`);
    return ran;
  };
  const torn = await attempt('torn', (folder) => rmSync(join(folder, 'manifest.json')));
  t.match(torn, { code: 1, err: /no finished copy: manifest\.json is missing/ });
  const changed = await attempt('changed', (folder) =>
    appendFileSync(join(folder, 'event-log/data.mdb'), ' '),
  );
  t.match(changed, { code: 1, err: /data\.mdb is not what the backup wrote/ });
  const half = await attempt('half', (folder) => writeFileSync(join(folder, 'manifest.json'), '{"format":1'));
  t.match(half, { code: 1, err: /manifest\.json is damaged/ });
  const newer = await attempt('newer', (folder) =>
    writeFileSync(join(folder, 'manifest.json'), '{"format":2,"more":true}'),
  );
  t.match(newer, { code: 1, err: /has format 2; this version reads up to 1: update Rollcall/ });
  const outside = await attempt('outside', (folder) => {
    const file = join(folder, 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('keys/digest.key', 'keys/../../digest.key'));
  });
  t.match(outside, { code: 1, err: /manifest\.json is damaged/ });
});

tap.test('a log that does not hold together is not restored', async (t) => {
  const { dataDir, copy, restored, rollcall } = await installation(t);
  const adapters = await openAdapters(embeddedAdapters(dataDir));
  const unchained: EventToAppend = {
    id: newId(),
    type: 'InvitationsHeld',
    contentType: 'json',
    data: Buffer.from('{}'),
    metadata: Buffer.from('{"chain":"none"}'),
  };
  await adapters.log.append('company-7', 0, [unchained]);
  await adapters.close();
  t.equal((await rollcall(`backup --to ${copy}`)).code, 0, 'a copy proves nothing');
  t.match(await rollcall(`restore --from ${copy} --data-dir ${restored}`), { code: 1 });
  t.same(without(restored), []);
});

tap.test('a restore that was killed is finished by the same call, and nothing runs before', async (t) => {
  const { folder, dataDir, copy, restored, rollcall } = await installation(t);
  await rollcall(`backup --to ${copy}`);
  const staging = join(restored, '.restoring');
  mkdirSync(join(staging, 'event-log'), { recursive: true });
  const on = rollcallWithin(restored);
  const unfinished =
    /restored has an unfinished restore: run the same `rollcall restore` again, or remove .restoring if none runs/;
  const isRefused = async (when: string): Promise<void> => {
    for (const words of ['company configure --company 9', 'company list'])
      t.match(await on(words), { code: 1, err: unfinished }, `${words} ${when}`);
    const { checks } = objectOf(await on('doctor --json')) as { readonly checks: readonly object[] };
    t.match(checks[1], { name: 'data folder', ok: false, text: unfinished });
  };
  await isRefused('killed while it copied');
  const restore = `restore --from ${copy} --data-dir ${restored}`;
  t.match(await on(restore), { code: 0, err: '' });

  mkdirSync(staging);
  renameSync(join(restored, 'keys'), join(staging, 'keys'));
  await isRefused('killed before the keys were in place');
  const other = join(folder, 'other');
  await rollcallWithin(other)('company configure --company 7');
  await rollcallWithin(other)('user add --company 7 --name HR --role HRIntegration');
  await rollcallWithin(other)('token issue --user 1');
  await rollcallWithin(other)(`backup --to ${other}-copy`);
  t.match(await on(restore.replace(copy, `${other}-copy`)), {
    code: 1,
    err: /not the one that the manifest/,
  });
  t.ok(existsSync(join(staging, 'keys')), 'nothing is lost');
  t.match(await on(restore), { code: 0, err: '' });
  t.notOk(existsSync(staging));
  t.same(
    readFileSync(join(restored, 'keys', 'digest.key')),
    readFileSync(join(dataDir, 'keys', 'digest.key')),
  );
  t.equal((await on('company configure --company 9')).code, 0, 'it goes on');
});

tap.test('two restores into one folder: the second is refused', async (t) => {
  const { copy, restored, rollcall } = await installation(t);
  await rollcall(`backup --to ${copy}`);
  const restore = `restore --from ${copy} --data-dir ${restored}`;
  const first = rollcallOn(restored)(restore);
  await until('the first has begun', async () => existsSync(join(restored, '.restoring')) || undefined);
  t.match(await rollcall(restore), { code: 1, err: /^Other processes use .*restored: stop them first\.\n$/ });
  t.match(await first, { code: 0, err: '' });
  t.same(readdirSync(restored).sort(), ['event-log', 'keys', 'last-verified.json', 'read-models']);
  t.match(await rollcall(restore), { code: 1, err: /is not empty/ });
});

tap.test('refused', async (t) => {
  const { dataDir, copy, restored, rollcall } = await installation(t);
  const { code, err } = await rollcall(`backup --to ${join(dataDir, 'copies', 'today')}`);
  t.same([code, existsSync(join(dataDir, 'copies'))], [1, false]);
  t.match(err, /lies in the data folder/);
  await rollcall(`backup --to ${copy}`);
  t.match(await rollcall(`backup --to ${copy}`), { code: 1, err: /is not empty/ });
  t.match(await rollcall(`restore --from ${copy} --data-dir ${dataDir}`), { code: 1, err: /is not empty/ });
  const nowhere = rollcallWithin(join(restored, 'nowhere'));
  t.match(await nowhere(`backup --to ${restored}`), { code: 1, err: /There is no data/ });
  const onServers = rollcallWithin(dataDir, {
    EVENT_LOG: 'eventstoredb',
    EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
  });
  const elsewhere = { code: 1, err: /EventStoreDB: docs\/production\.md says/ };
  t.match(await onServers(`backup --to ${restored}`), elsewhere);
  t.match(await onServers(`restore --from ${copy} --data-dir ${restored}`), elsewhere);
  t.notOk(existsSync(restored));
  for (const words of ['backup', 'restore --from x', 'backup --to x --keys', 'backup now --to x'])
    t.equal((await rollcall(words)).code, 2, words);
});

tap.test('a key that is not the log’s', async (t) => {
  const { dataDir, copy, rollcall } = await installation(t);
  writeFileSync(join(dataDir, 'keys', 'digest.key'), Buffer.alloc(32));
  const refused = { code: 1, err: /is not the key of this event log/ };
  t.match(await rollcall(`backup --to ${copy}`), refused);
  t.notOk(existsSync(copy), 'what was begun is removed');
  mkdirSync(copy);
  t.match(await rollcall(`backup --to ${copy}`), refused);
  t.same(readdirSync(copy), [], 'a folder of before stays');
  t.equal((await rollcall(`backup --to ${copy} --without-keys`)).code, 0);
});

tap.test('keys that lie elsewhere are named', async (t) => {
  const { folder, dataDir, copy } = await installation(t);
  const elsewhere = join(folder, 'elsewhere');
  cpSync(join(dataDir, 'keys', 'public'), elsewhere, { recursive: true });
  const ran = await rollcallWithin(dataDir, { JWT_PUBLIC_KEYS: elsewhere })(`backup --to ${copy}`);
  t.same([ran.code, ran.err.includes(`${elsewhere} lies outside`)], [0, true]);
});

tap.test('a bar shows what takes over a second', async (t) => {
  const { dataDir, copy, restored, rollcall } = await installation(t);
  let shown = '';
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  screen.on('data', (part: Buffer) => (shown += part.toString()));
  let now = Date.now();
  const more = { screen: screen as unknown as NodeJS.WriteStream, clock: { now: () => (now += 2_000) } };
  await rollcall(`backup --to ${copy}`);
  await rollcallWithin(dataDir, {}, more)(`restore --from ${copy} --data-dir ${restored}`);
  t.match(shown, /% of the log/);
});

tap.test('a network disk is refused before anything is copied', async (t) => {
  const { copy, rollcall } = await installation(t);
  const { statfs } = promises;
  const copied: boolean[] = [];
  const onNetwork = async (path: string) => {
    const found = await statfs(path);
    if (!path.startsWith(copy)) return found;
    copied.push(existsSync(join(path, 'data.mdb')));
    return Object.assign(found, { type: 0x6969 });
  };
  const use = (known: typeof statfs | typeof onNetwork): void => {
    Object.assign(promises, { statfs: known });
    syncBuiltinESMExports();
  };
  t.teardown(() => use(statfs));
  use(onNetwork);
  const refused = { code: 1, err: /lies on a network disk: choose a local one/ };
  t.match(await rollcall(`backup --to ${copy}`), refused);
  t.strictSame([...copied, existsSync(copy)], [false, false]);
});
