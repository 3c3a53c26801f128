import { generateKeyPairSync } from 'node:crypto';
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
    rereadPublicKeys: (own) => Promise.resolve().then(() => folder(own)),
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
