import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { revokeToken, systemClock } from '@rollcall/application';
import t, { type Test } from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp, testContext } from '../support/test-app.js';

const employees = `/v1.0/Company/${companyId}/Employee`;

/** What a caller may send behind the path and the method: none of it is looked at before these are settled. */
const rests: readonly (readonly [query: string, head: string, body: string])[] = [
  ['', '', ''],
  ['?x=%ff&x=1', '', ''],
  ['??#', 'Content-Type: text/plain\r\nContent-Length: 3\r\n', 'abc'],
  ['', 'Content-Length: 3\r\n', 'abc'],
  ['', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', '3\r\n{"a\r\n0\r\n\r\n'],
  ['?x=1', 'Content-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 1\r\n', '{'],
  ['', 'Content-Type: multipart/form-data\r\nContent-Length: 99999999999\r\n', ''],
];

t.test('path and method are settled before anything else', async (t) => {
  const app = await startTestApp(t, { shape: 'one', timeouts: { linger: 20 } });

  const each = async (t: Test, methods: readonly string[], path: string, status: number) => {
    for (const method of methods)
      for (const [query, head, body] of rests) {
        const text = `${method} ${path}${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n${body}`;
        const answer = await sendRaw(app.port, [text]);
        t.equal(statusOf(answer), status, `${method} ${path}${query} ${head}`);
        if (method !== 'HEAD') t.same(Object.keys(JSON.parse(bodyOf(answer)) as object), ['Message']);
        if (status === 405) t.match(answer, /^allow: \w+/im);
      }
  };

  t.test('an unknown path is 404, for every method', async (t) => {
    await each(
      t,
      METHODS.filter((method) => method !== 'CONNECT'),
      '/v1.0/nothing',
      404,
    );
    for (const path of ['/', '/v1.0/Survey/Templates', '/v1.0/Survey/01', '/v1.0/Survey/9007199254740993'])
      await each(t, ['GET', 'POST', 'PUT', 'DELETE', 'QUERY'], path, 404);
  });
  t.test('CONNECT is 404', async (t) => {
    const answer = await sendRaw(app.port, [
      'CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\n\r\n',
    ]);
    t.equal(statusOf(answer), 404);
  });
  t.test('a method that the path does not take is 405', async (t) => {
    const others = (...taken: string[]) =>
      METHODS.filter((method) => !['CONNECT', ...taken].includes(method));
    await each(t, others('GET', 'HEAD', 'PUT'), employees, 405);
    await each(t, others('POST'), '/v1.0/Survey/Update', 405);
    await each(t, ['POST', 'QUERY'], '/v1.0/Survey/5', 405);
    await each(t, ['POST', 'QUERY'], '/health/live', 405);
  });
  t.test('of the reference there is what lies in its folder', async (t) => {
    const get = (path: string) =>
      sendRaw(app.port, [`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]);
    t.equal(statusOf(await get('/docs/static/swagger-ui.css')), 200);
    for (const path of [
      '../../package.json',
      '..%2f..%2fpackage.json',
      '%2e%2e/%2e%2e/package.json',
      '%00',
      '.',
      '..',
      '',
      'a%00.css',
      'nothing.css',
      '%5c..',
      '%ff',
      'x'.repeat(10_000),
    ]) {
      const answer = await get(`/docs/static/${path}`);
      t.equal(statusOf(answer), 404, path.slice(0, 40));
      t.same(Object.keys(JSON.parse(bodyOf(answer)) as object), ['Message']);
    }
  });
});

t.test('a token that is revoked while a body arrives changes nothing', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { every: time.every, clock: time });
  const token = app.token({ claims: { jti: 'lost' } });
  const bodies = ['PUT ' + employees, 'POST /v1.0/Survey'].map((line) => {
    const socket = connect({ port: app.port, host: '127.0.0.1' });
    socket.write(
      `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[`,
    );
    return socket;
  });
  // It comes behind them: their tokens have been accepted.
  t.equal((await app.call('GET', '/v1.0/Survey', { token })).status, 200);
  const before = await app.eventCount();
  await revokeToken({ log: app.adapters.log, clock: systemClock }, testContext(), 'lost');
  await time.tick(1_000);
  for (const socket of bodies) {
    socket.end(']');
    t.match(await text(socket), /^HTTP\/1\.1 401 [^]*Authorization has been denied/);
  }
  t.equal(await app.eventCount(), before + 1, 'the revocation alone');
});
