import {
  createOnce,
  createSigningKey,
  keyPaths,
  machine,
  openKeys,
  readPublicKeys,
  readSigningKey,
} from '@rollcall/adapters';
import { spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import fs, { chmod, mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import tap from 'tap';

function replaceLink(link: typeof fs.link): void {
  Object.assign(fs, { link });
  syncBuiltinESMExports();
}

/** Makes a file, and stops before it gets its name. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { once } = require('node:events');
  const fs = require('node:fs/promises');
  const { link } = fs;
  fs.link = async (...given) => {
    parentPort.postMessage('written');
    await once(parentPort, 'message');
    return link(...given);
  };
  require('node:module').syncBuiltinESMExports();
  (async () => {
    const { createOnce } = await import('${import.meta.resolve('@rollcall/adapters')}');
    parentPort.postMessage((await createOnce(workerData.file, 'x', 0o600)) ? 'made' : 'there');
  })();`;

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

tap.test('the digest key', async (t) => {
  t.test('is made once, however many ask at once, and only its owner reads it', async (t) => {
    const { folder } = keyPaths(join(t.testdir(), 'new', 'data'));
    const all = await times(20, () => openKeys({ folder }));
    t.equal(all[0]?.digestKey.length, 32);
    t.equal(new Set(all.map(({ digestKey }) => Buffer.from(digestKey).toString('hex'))).size, 1);
    t.same((await openKeys({ folder })).digestKey, all[0]?.digestKey);
    t.equal(await modeOf(join(folder, 'digest.key')), 0o600);
    t.equal(await modeOf(folder), 0o700);
    t.same(await readdir(folder), ['digest.key'], 'nothing else is left behind');
  });

  t.test('what a killed process left behind goes, what a living one writes stays', async (t) => {
    const { folder } = keyPaths(t.testdir());
    await mkdir(folder, { recursive: true });
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    const name = (pid: number | undefined, on = machine): string => `.${on}-${pid ?? 0}-${randomUUID()}.new`;
    const living = name(process.ppid);
    const elsewhere = name(process.pid, 'another-container');
    const longAgo = name(process.ppid, 'another-container');
    const sameName = name(child.pid, hostname());
    const former = [name(process.pid), name(process.pid, `${machine}+1`)];
    for (const each of [name(child.pid), ...former, living, elsewhere, sameName, longAgo])
      await writeFile(join(folder, each), 'half');
    await utimes(join(folder, longAgo), 0, 0);
    await openKeys({ folder });
    t.same((await readdir(folder)).sort(), [elsewhere, living, sameName, 'digest.key'].sort());
  });

  t.test('what another thread of this process writes stays', async (t) => {
    const { folder } = keyPaths(t.testdir());
    await mkdir(folder, { recursive: true });
    const thread = new Worker(THREAD, { workerData: { file: join(folder, 'of-a-thread') }, eval: true });
    t.teardown(() => thread.terminate());
    t.same(await once(thread, 'message'), ['written']);
    await openKeys({ folder });
    thread.postMessage('go on');
    t.same(await once(thread, 'message'), ['made']);
    t.same((await readdir(folder)).sort(), ['digest.key', 'of-a-thread']);
  });

  t.test('is made once where the file system has no hard links', async (t) => {
    const { folder } = keyPaths(t.testdir());
    const { link } = fs;
    t.teardown(() => replaceLink(link));
    for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']) {
      replaceLink(() => Promise.reject(Object.assign(new Error('no links'), { code })));
      const file = join(folder, code);
      await mkdir(folder, { recursive: true });
      t.equal((await times(10, () => createOnce(file, code, 0o600))).filter(Boolean).length, 1, code);
      t.same([await readFile(file, 'utf8'), await modeOf(file)], [code, 0o600]);
    }
    t.same((await openKeys({ folder })).digestKey, (await openKeys({ folder })).digestKey);
    replaceLink(() => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })));
    await t.rejects(createOnce(join(folder, 'full'), 'x', 0o600), { code: 'ENOSPC' });
    t.same((await readdir(folder)).sort(), ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'digest.key']);
  });

  t.test('differs between installations', async (t) => {
    const folder = t.testdir();
    const one = await openKeys({ folder: join(folder, 'a') });
    t.notSame((await openKeys({ folder: join(folder, 'b') })).digestKey, one.digestKey);
  });

  t.test('is refused where it was cut', async (t) => {
    const folder = t.testdir({ 'digest.key': 'short' });
    await t.rejects(openKeys({ folder }), {
      name: 'KeysUnusable',
      message: /digest\.key must hold 32 bytes/,
    });
  });
});

tap.test('the signing key', async (t) => {
  t.test('is one pair, however many ask at once', async (t) => {
    const places = keyPaths(t.testdir());
    const all = await times(10, () => createSigningKey(places));
    const [first] = all;
    t.ok(first);
    t.equal(new Set(all.map(({ kid, pem }) => `${kid} ${pem}`)).size, 1);
    t.equal(await modeOf(places.privateFile), 0o600);
    t.same(await readdir(places.publicFolder), [`${first?.kid ?? ''}.pem`]);
    const publicKeys = await readPublicKeys(places.publicFolder);
    const pem = publicKeys.get(first?.kid ?? '') ?? '';
    t.equal(createPublicKey(pem).asymmetricKeyType, 'ed25519');
    const text = Buffer.from('text');
    t.ok(verify(null, text, pem, sign(null, text, first?.pem ?? '')));
  });

  t.test('a public half that is missing after a crash comes back under the same name', async (t) => {
    const places = keyPaths(t.testdir());
    const before = await createSigningKey(places);
    await rm(places.publicFolder, { recursive: true });
    t.same(await createSigningKey(places), before);
    t.same([...(await readPublicKeys(places.publicFolder)).keys()], [before.kid]);
  });

  t.test('a public half under a name of its own is found', async (t) => {
    const places = keyPaths(t.testdir());
    const { kid } = await createSigningKey(places);
    const pem = await readFile(join(places.publicFolder, `${kid}.pem`));
    await rm(join(places.publicFolder, `${kid}.pem`));
    await writeFile(join(places.publicFolder, 'mine.pem'), pem);
    t.equal((await readSigningKey(places)).kid, 'mine');
    t.equal((await createSigningKey(places)).kid, 'mine');
  });

  t.test('cannot be used without its public half, or where it is missing or no key', async (t) => {
    const places = keyPaths(t.testdir());
    await t.rejects(readSigningKey(places), { name: 'KeysUnusable', message: /private\.pem is missing/ });
    await createSigningKey(places);
    await rm(places.publicFolder, { recursive: true });
    await t.rejects(readSigningKey(places), { name: 'KeysUnusable', message: /public half/ });
    await chmod(places.privateFile, 0o600);
    await writeFile(places.privateFile, 'no key');
    await t.rejects(readSigningKey(places), { name: 'KeysUnusable', message: /private key in PEM form/ });
    await t.rejects(createSigningKey(places), { name: 'KeysUnusable', message: /private key in PEM form/ });
  });
});

tap.test('public keys', async (t) => {
  t.test('a missing folder holds none', async (t) => {
    t.equal((await readPublicKeys(join(t.testdir(), 'none'))).size, 0);
  });

  t.test('several are valid at once, other files are left alone', async (t) => {
    const folder = t.testdir();
    const pem = (): string =>
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '2026.pem'), pem());
    await writeFile(join(folder, '2025.pem'), pem());
    await writeFile(join(folder, 'readme.txt'), 'hello');
    await writeFile(join(folder, '.half.pem'), 'half');
    t.same([...(await readPublicKeys(folder)).keys()], ['2025', '2026']);
  });

  t.test('a private key among them is refused, and so is anything else', async (t) => {
    const places = keyPaths(t.testdir());
    const { pem } = await createSigningKey(places);
    const wrong = join(places.publicFolder, 'wrong.pem');
    await writeFile(wrong, pem);
    await t.rejects(readPublicKeys(places.publicFolder), { message: /wrong\.pem holds a private key/ });
    await writeFile(wrong, 'x');
    await t.rejects(readPublicKeys(places.publicFolder), { message: /wrong\.pem must be a public key/ });
  });
});
