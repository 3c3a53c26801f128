import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readKeyFolder } from '@rollcall/adapters';
import t from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp } from '../support/test-app.js';
import { kid } from '../support/tokens.js';

const path = '/v1.0/Company/7/ApiCalls';

t.test('signing keys rotate without a restart', async (t) => {
  const next = generateKeyPairSync('ed25519');
  const nextPem = next.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const time = new ManualTime();
  let folder: (own: ReadonlyMap<string, string>) => ReadonlyMap<string, string> = (own) => own;
  const app = await startTestApp(t, {
    clock: time,
    every: time.every,
    rereadPublicKeys: (own) => Promise.resolve().then(() => ({ keys: folder(own), unusable: new Map() })),
  });
  const oldToken = app.token();
  const newToken = app.token({ header: { kid: 'next' }, signature: next.privateKey });
  const status = async (token: string): Promise<number> => (await app.call('GET', path, { token })).status;

  t.equal(await status(oldToken), 200, 'the first key');
  t.equal(await status(newToken), 401, 'a key that is not there yet');

  folder = (own) => new Map([...own, ['next', nextPem]]);
  await time.tick(2_000);
  t.equal(await status(oldToken), 200, 'two keys are valid at once: the old one');
  t.equal(await status(newToken), 200, 'and the new one');

  folder = () => {
    throw new Error('half a file');
  };
  await time.tick(2_000);
  t.equal(await status(oldToken), 200, 'a folder that cannot be read changes nothing');
  t.equal(await status(newToken), 200);

  folder = (own) =>
    new Map([...own, ['next', nextPem]].filter(([name]) => name !== kid) as [string, string][]);
  await time.tick(2_000);
  t.equal(await status(oldToken), 401, 'the old key is gone, though its token was accepted a moment ago');
  t.equal(await status(newToken), 200, 'the new key stays');
});

t.test('a service that starts before there is a key is ready once there is one', async (t) => {
  const folder = t.testdir();
  const time = new ManualTime();
  const app = await startTestApp(t, {
    clock: time,
    every: time.every,
    rereadPublicKeys: () => readKeyFolder(folder),
  });
  const ready = async (): Promise<number> => (await app.call('GET', '/health/ready', { token: null })).status;
  await time.tick(2_000);
  t.equal(await ready(), 503);
  t.equal((await app.call('GET', path)).status, 503, 'a token may be valid');
  t.equal((await app.call('GET', path, { token: null })).status, 401, 'none is not');

  await app.tokens.writePublicKey(folder);
  await time.tick(2_000);
  t.equal(await ready(), 200);
  t.equal((await app.call('GET', path)).status, 200);
});

t.test('a file that is no key hides neither a removal nor a new key', async (t) => {
  const folder = t.testdir();
  const next = generateKeyPairSync('ed25519');
  const time = new ManualTime();
  const app = await startTestApp(t, {
    clock: time,
    every: time.every,
    rereadPublicKeys: () => readKeyFolder(folder),
  });
  const oldToken = app.token();
  const newToken = app.token({ header: { kid: 'next' }, signature: next.privateKey });
  const status = async (token: string): Promise<number> => (await app.call('GET', path, { token })).status;

  await app.tokens.writePublicKey(folder);
  await writeFile(join(folder, 'another.pem'), 'half a fi');
  await writeFile(join(folder, 'next.pem'), next.publicKey.export({ type: 'spki', format: 'pem' }));
  await time.tick(2_000);
  t.equal(await status(oldToken), 200);
  t.equal(await status(newToken), 200, 'the new key is in force');

  await writeFile(join(folder, 'next.pem'), 'half a fi');
  await rm(join(folder, `${kid}.pem`));
  await time.tick(2_000);
  t.equal(await status(oldToken), 401, 'the removed key is gone');
  t.equal(await status(newToken), 200, 'what was known under the name of a damaged file stays');

  await rm(join(folder, 'next.pem'));
  await time.tick(2_000);
  t.equal(await status(newToken), 503, 'without any key');
});

t.test('a token that was refused while the clock was wrong is accepted once it is right', async (t) => {
  const app = await startTestApp(t, { shape: 'one' });
  const token = app.token();
  const status = async (): Promise<number> => (await app.call('GET', path, { token })).status;
  const { now } = Date;
  try {
    Date.now = () => now() + 7 * 24 * 3_600_000;
    t.equal(await status(), 401, 'a week ahead: expired');
  } finally {
    Date.now = now;
  }
  await app.projected();
  for (let tries = 0; tries < 50 && (await status()) === 503; tries++) await app.eventCount();
  t.equal(await status(), 200);
});
