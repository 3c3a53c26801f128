import { Writable, PassThrough } from 'node:stream';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import {
  addApiUser,
  EventLogUnavailable,
  revokeApiUser,
  revokeToken,
  systemClock,
} from '@rollcall/application';
import t, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { ManualTime } from '../support/manual-timer.js';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, otherCompanyId, startTestApp, testContext, type Answer } from '../support/test-app.js';
import type { TokenParts } from '../support/tokens.js';
import { withMembers } from '../support/with-members.js';
import { until } from '../support/until.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const calls = `/v1.0/Company/${companyId}/ApiCalls`;
const denied = { Message: 'Authorization has been denied for this request.' };
const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

function isDenied(t: Test, answer: Answer, what: string): void {
  t.equal(answer.status, 401, what);
  t.same(answer.json, denied, what);
  t.equal(answer.headers.get('www-authenticate'), 'Bearer', what);
}

t.test('a token that does not hold', async (t) => {
  const app = await startTestApp(t);
  const foreign = generateKeyPairSync('ed25519').privateKey;
  const before = await app.eventCount();
  const refused: Record<string, TokenParts> = {
    'alg none': { header: { alg: 'none' }, signature: 'none' },
    'no signature': { signature: 'none' },
    'HS256 with the public key as secret': { header: { alg: 'HS256' }, signature: 'public-key-as-secret' },
    'EdDSA in name, HMAC in fact': { signature: 'public-key-as-secret' },
    'a foreign key under a foreign kid': { header: { kid: 'foreign' }, signature: foreign },
    'a foreign key under the right kid': { signature: foreign },
    'no kid': { header: { kid: undefined } },
    'a kid that is a path': { header: { kid: '../public/test-key' } },
    'a kid that every object has': { header: { kid: 'constructor' } },
    'a critical header': { header: { crit: ['b64'], b64: false } },
    expired: { claims: { iat: seconds(-7200), exp: seconds(-1) } },
    'not yet valid': { claims: { nbf: seconds(600) } },
    'exp as text': { claims: { exp: '2100-01-01' } },
    'another issuer': { claims: { iss: 'rollcalls' } },
    'another audience': { claims: { aud: 'roll' } },
    'a user that is no integer': { claims: { sub: '1.0' } },
    'a user 0': { claims: { sub: '0' } },
    'a user as number': { claims: { sub: 1 } },
    'a company as text': { claims: { company: '7' } },
    'roles as text': { claims: { roles: 'HRIntegration' } },
    'an empty jti': { claims: { jti: '' } },
    'an unknown user': { claims: { sub: '99' } },
    'a user of another company': { claims: { sub: '3' } },
    'another company of its own': { claims: { sub: '3', company: otherCompanyId } },
  };
  for (const claim of ['iss', 'aud', 'iat', 'exp', 'sub', 'jti', 'company', 'roles'])
    refused[`no ${claim}`] = { claims: { [claim]: undefined } };
  for (const [what, parts] of Object.entries(refused)) {
    const token = app.token(parts);
    isDenied(t, await app.call('GET', calls, { token }), what);
    isDenied(t, await app.call('PUT', employees, { token, body: [] }), `${what}, PUT`);
    isDenied(
      t,
      await app.call('PUT', `${employees}?dryrn=true`, { token, body: '{' }),
      `${what}, before other checks`,
    );
  }
  t.equal(await app.eventCount(), before, 'nothing is written');
});

t.test('the algorithm is the configured one, though the key could do with another', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const time = new ManualTime();
  const app = await startTestApp(t, {
    config: { jwtAlgorithm: 'RS256' },
    clock: time,
    every: time.every,
    rereadPublicKeys: (own) =>
      Promise.resolve({ keys: new Map([...own, ['rsa', pem]]), unusable: new Map() }),
  });
  await time.tick(2_000);
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  const get = (alg: string, hash: string, padding: number): Promise<Answer> => {
    const key =
      padding === RSA_PKCS1_PADDING ? { key: privateKey, padding } : { key: privateKey, padding, saltLength };
    const signature = (input: Buffer): Buffer => sign(hash, input, key);
    return app.call('GET', calls, { token: app.token({ header: { alg, kid: 'rsa' }, signature }) });
  };
  t.equal((await get('RS256', 'sha256', RSA_PKCS1_PADDING)).status, 200);
  isDenied(t, await get('PS256', 'sha256', RSA_PKCS1_PSS_PADDING), 'PS256');
  isDenied(t, await get('RS512', 'sha512', RSA_PKCS1_PADDING), 'RS512');
  isDenied(t, await app.call('GET', calls), 'EdDSA, with a key that is configured');
});

t.test('where the token stands', async (t) => {
  const app = await startTestApp(t);
  const token = app.token();
  for (const authorization of [
    '',
    'Bearer',
    `Basic ${token}`,
    token,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer "${token}"`,
  ])
    isDenied(
      t,
      await app.call('GET', calls, { token: null, headers: { authorization } }),
      authorization.slice(0, 12),
    );
  isDenied(t, await app.call('GET', calls, { token: null }), 'nowhere');
  isDenied(t, await app.call('GET', `${calls}?access_token=${token}`, { token: null }), 'in the query');
  isDenied(
    t,
    await app.call('GET', calls, { token: null, headers: { cookie: `token=${token}` } }),
    'in a cookie',
  );
  const lowerCase = await app.call('GET', calls, {
    token: null,
    headers: { authorization: `bearer ${token}` },
  });
  t.equal(lowerCase.status, 200);
});

t.test('the role HRIntegration', async (t) => {
  const app = await startTestApp(t);
  const token = app.token({ claims: { sub: '2', roles: ['Reader'] } });
  isDenied(t, await app.call('GET', employees, { token }), 'to read employees');
  isDenied(t, await app.call('PUT', employees, { token, body: [] }), 'to replace them');
  for (const path of [calls, `/v1.0/Company/${companyId}/Language/Enabled`, '/v1.0/Survey'])
    t.equal((await app.call('GET', path, { token })).status, 200, path);
  const roles = ['Auditor', 'HRIntegration'];
  const both = { token: app.token({ claims: { roles } }), body: [] };
  t.equal((await app.call('PUT', employees, both)).status, 200, 'also of an Auditor');
});

t.test('no token is needed for health and the reference', async (t) => {
  const app = await startTestApp(t);
  for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs'])
    t.equal((await app.call('GET', path, { token: null })).status, 200, path);
});

t.test('the caller is refused before the body is read', async (t) => {
  const app = await startTestApp(t, { timeouts: { linger: 200 } });
  const head = `PUT ${employees} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000000\r\n\r\n[`;
  t.equal(statusOf(await sendRaw(app.port, [head])), 401);
});

t.test('a revocation', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { clock: time, every: time.every });
  const { log } = app.adapters;
  const [revoked, sibling] = [app.token({ claims: { jti: 'lost' } }), app.token()];
  const status = async (token: string) => (await app.call('GET', calls, { token })).status;
  t.same([await status(revoked), await status(sibling)], [200, 200]);

  await revokeToken({ log, clock: systemClock }, testContext(), 'lost');
  await time.tick(1_000);
  t.same([await status(revoked), await status(sibling)], [401, 200], 'of a token, once it is read');

  await revokeApiUser({ log, clock: systemClock }, testContext(), 1);
  await time.tick(1_000);
  t.same([await status(revoked), await status(sibling)], [401, 401], 'of a user');
});

t.test('knowledge of the API users', async (t) => {
  const time = new ManualTime();
  let away = false;
  const app = await startTestApp(t, {
    clock: time,
    every: time.every,
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: (...request) => {
          if (away) throw new EventLogUnavailable('away');
          return log.readStream(...request);
        },
      }),
    }),
  });
  const token = app.token();
  const answer = () => app.call('GET', calls, { token });
  t.equal((await answer()).status, 200, 'which also looks whose the read models are');
  away = true;
  await time.tick(5_000);
  t.equal((await answer()).status, 200, 'serves for five seconds');

  await time.tick(1);
  const stale = await answer();
  t.equal(stale.status, 503, 'and no longer');
  t.ok(Number(stale.headers.get('retry-after')) >= 1);
  t.match(stale.json, { Message: String });
  const ready = () => app.call('GET', '/health/ready', { token: null });
  const tooOld = { status: 503, json: { Problems: exactly(['what is known of API users is too old']) } };
  t.match(await ready(), tooOld);
  const unsigned = await app.call('GET', calls, { token: app.token({ signature: 'none' }) });
  isDenied(t, unsigned, 'a bad token all the same');

  away = false;
  await time.tick(1_000);
  t.equal((await answer()).status, 200, 'until the log is back');

  time.pass(-60_000);
  away = true;
  t.equal((await answer()).status, 503, 'a clock that was set back makes it old');
  t.match(await ready(), tooOld);
});

t.test('a log that hangs or is away', async (t) => {
  const time = new ManualTime();
  const lines: string[] = [];
  let [reads, ended] = [0, 0];
  let how: 'answers' | 'hangs' | 'away' = 'answers';
  const app = await startTestApp(t, {
    clock: time,
    every: time.every,
    logTo: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(...chunk.toString().trim().split('\n'));
        done();
      },
    }),
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        readStream: async function* (...request) {
          // Read models are compared with one event of the log, which may be one of these.
          const isLook = request[0] === 'api-users' && request[1]?.limit === undefined;
          if (isLook) reads += 1;
          if (how === 'away') throw new EventLogUnavailable('away');
          if (how === 'hangs') await new Promise(() => undefined);
          yield* log.readStream(...request);
          if (isLook) ended += 1;
        },
      }),
    }),
  });
  const status = async () => (await app.call('GET', calls, { token: app.token() })).status;
  const nextLook = async () => {
    const before = ended;
    await time.tick(1_000);
    await until('a look has ended', () => ended > before);
    await new Promise((resolve) => setImmediate(resolve));
  };
  how = 'hangs';
  const before = reads;
  await time.tick(1_000);
  await time.tick(1_000);
  t.equal(reads, before + 2, 'a look that hangs holds up none');
  how = 'answers';
  await nextLook();
  time.pass(4_500);
  const known = reads;
  t.equal(await status(), 200);
  t.equal(reads, known, 'the look behind the ones that hang has counted');
  await time.tick(4_000);
  t.notMatch(lines.join('\n'), 'read the API users', 'and what they end in is told to nobody');
  time.pass(60_000);
  t.equal(await status(), 200, 'a call that finds old knowledge looks for itself');
  how = 'away';
  for (let second = 0; second < 150; second++) await time.tick(1_000);
  const told = lines.filter((line) => line.includes('read the API users'));
  t.equal(told.length, 3, 'the change, then once a minute');
  t.equal(told.filter((line) => line.includes('stack')).length, 1);
  how = 'answers';
  await nextLook();
  t.match(lines.at(-1), 'can be read from the log again');
});

t.test('a user who was made a moment ago is not refused', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { clock: time, every: time.every });
  const deps = { log: app.adapters.log, clock: systemClock };
  const added = await addApiUser(deps, testContext(companyId), {
    companyId,
    name: 'New',
    roles: [],
  });
  t.equal(added.kind, 'added');
  t.equal((await app.call('GET', calls, { token: app.token({ claims: { sub: '4' } }) })).status, 200);
});

t.test('the reason of a 401 stands in the log, the token nowhere', async (t) => {
  const logTo = new PassThrough();
  let lines = '';
  logTo.on('data', (chunk: Buffer) => (lines += chunk.toString()));
  const app = await startTestApp(t, { logTo });
  const token = app.token({ claims: { exp: seconds(-1) } });
  await app.call('GET', calls, { token });
  t.match(lines, /FAST_JWT_EXPIRED/);
  t.notMatch(lines, token);
});
