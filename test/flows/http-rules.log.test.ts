import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { createLogger } from '@rollcall/host';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { companyId, startTestApp, type TestAppOptions } from '../support/test-app.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const secrets = ['Ottilie', 'Quastenflosser', 'ottilie.q@example.com', '+4598765432', 'SECRET-ID'];
const person = {
  EmployeeID: 'SECRET-ID',
  Firstname: 'Ottilie',
  Lastname: 'Quastenflosser',
  Email: 'ottilie.q@example.com',
  Phonenumber: '+4598765432',
  EmploymentStatus: 0,
};

function capture(): { logTo: PassThrough; lines: () => Record<string, unknown>[]; text: () => string } {
  const logTo = new PassThrough();
  let text = '';
  logTo.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const lines = () =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logTo, lines, text: () => text };
}

t.test('the log knows the call and nobody in it', async (t) => {
  const { logTo, lines, text } = capture();
  const app = await startTestApp(t, { logTo });
  const token = app.token();
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { token, body, headers: { 'x-request-id': `${method}-1` } });
  const done = await call('PUT', employees, [person]);
  t.equal(done.status, 200);
  await call('PUT', employees, [{ ...person, Phonenumber: '12' }]);
  await call('PUT', employees, `[{"Email":"${person.Email}" x`);
  await call('PUT', `${employees}?name=${person.Email}`, []);
  await call('POST', '/v1.0/survey', { Name: person.Lastname });
  await call('GET', `${employees}?EmployeeID=SECRET-ID`);
  await call('GET', `/${person.Email}/${person.Lastname}`);
  for (const secret of [...secrets, token]) t.notMatch(text(), secret);

  const { ApiOperationId } = done.json as { ApiOperationId: string };
  t.match(
    lines().find(({ operationId }) => operationId === ApiOperationId),
    {
      requestId: 'PUT-1',
      method: 'PUT',
      route: '/v1.0/Company/:companyId/Employee',
      status: 200,
      durationMs: Number,
      userId: 1,
      companyId,
    },
    'the request id is tied to the ApiOperationId',
  );
});

t.test('times are RFC 3339, and probes and scrapes stand below info', async (t) => {
  const { logTo, lines, text } = capture();
  const app = await startTestApp(t, { logTo });
  for (const path of ['/health/live', '/health/ready', '/metrics', '/v1.0/Languages'])
    await app.call('GET', path, { token: null });
  t.notMatch(text(), /health|metrics/);
  const line = lines().find(({ msg }) => msg === 'answered');
  t.match(line, { route: 'unknown', time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ });
});

t.test('a refused call has one line, which says why', async (t) => {
  const { logTo, lines } = capture();
  const app = await startTestApp(t, { logTo });
  const before = lines().length;
  await app.call('GET', employees, { token: null });
  await app.call('GET', '/nothing', { token: null });
  await app.call('POST', '/v1.0/survey', { body: {} });
  t.match(
    lines().slice(before),
    exactly([
      { msg: 'answered', status: 401, kind: 'unauthorized', reason: 'no Authorization header' },
      { msg: 'answered', status: 404, kind: 'not-found' },
      { msg: 'answered', status: 400, kind: 'invalid-request', userId: 1, operationId: String },
    ]),
  );
});

t.test('a refused call whose caller is gone at once says why, too', async (t) => {
  const { logTo, lines } = capture();
  const app = await startTestApp(t, { logTo });
  const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET ${employees} HTTP/1.1\r\nHost: rollcall.example.com\r\n\r\n`);
  socket.resetAndDestroy();
  const gone = await until('the caller is gone', () =>
    lines().find(({ msg }) => msg === 'the caller went away'),
  );
  const why = lines().filter(({ kind }) => kind === 'unauthorized');
  t.match(why, exactly([{ requestId: gone['requestId'], reason: 'no Authorization header' }]));
});

t.test('a probe that is refused has a line', async (t) => {
  const { logTo, lines } = capture();
  const app = await startTestApp(t, { logTo });
  await app.call('POST', '/health/live', { token: null });
  t.match(lines().at(-1), { route: '/health/live', status: 405, kind: 'method-not-allowed' });
});

t.test('whole objects are redacted', (t) => {
  const { logTo, lines } = capture();
  createLogger('info', logTo).info({
    authorization: 'Bearer x',
    employee: person,
    event: { data: { values: person } },
  });
  const text = JSON.stringify(lines());
  for (const secret of [...secrets, 'Bearer x']) t.notMatch(text, secret);
  t.end();
});

t.test('nothing of a damaged row stands in the log', async (t) => {
  const { logTo, lines, text } = capture();
  const fault = (): never => {
    try {
      return JSON.parse('{"Email":"ada@example.com') as never;
    } catch (cause) {
      throw new Error('a row', { cause });
    }
  };
  const wrap: NonNullable<TestAppOptions['wrap']> = ({ log, readModels }) => ({
    log,
    readModels: withMembers(readModels, { find: fault, findBatches: fault }),
  });
  const app = await startTestApp(t, { logTo, wrap });
  t.equal((await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`)).status, 500);
  t.notMatch(text(), 'example.com');
  t.match(
    lines().find(({ level }) => level === 50),
    { err: { problem: 'Error', frames: { 0: /^at / } } },
  );
});

t.test('a fault is a 500 whose details stand in the log only', async (t) => {
  const { logTo, lines } = capture();
  const fault = (): never => {
    throw new TypeError('the cause of it');
  };
  const wrap: NonNullable<TestAppOptions['wrap']> = ({ log, readModels }) => ({
    log,
    readModels: withMembers(readModels, { find: fault, findBatches: fault }),
  });
  const app = await startTestApp(t, { logTo, wrap });
  const answer = await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`);
  t.equal(answer.status, 500);
  const { Message, ApiOperationId, ...rest } = answer.json as Record<string, string>;
  t.same(rest, {});
  t.notMatch(Message, 'cause');
  t.match(
    lines().find(({ operationId, level }) => operationId === ApiOperationId && level === 50),
    { err: { message: 'the cause of it' } },
  );
});

t.test('the log names nobody in a call whose caller goes away', async (t) => {
  const { logTo, lines, text } = capture();
  const app = await startTestApp(t, { logTo });
  const socket = connect({ port: app.port, host: '127.0.0.1' });
  const head = [
    `PUT ${employees}?name=${person.Email} HTTP/1.1`,
    ...['Host: localhost', 'Content-Type: application/json', `Authorization: Bearer ${app.token()}`],
    'Content-Length: 1000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n[{"Email":"${person.Email}"`, () => socket.destroy());
  await once(socket, 'close');
  const gone = () => Promise.resolve(lines().find(({ msg }) => msg === 'the caller went away'));
  t.match(await until('the log says so', gone), { route: '/v1.0/Company/:companyId/Employee' });
  for (const secret of secrets) t.notMatch(text(), secret);
});

t.test('each personal field is redacted at each of three depths', (t) => {
  const { logTo, lines } = capture();
  const names = [
    ...['authorization', 'token', 'body', 'Email', 'Firstname', 'Lastname', 'FirstName', 'LastName'],
    ...['Fullname', 'Phonenumber', 'ContactNumber', 'EmployeeID', 'ExternalId', 'Birthday', 'values'],
  ];
  const all = Object.fromEntries(names.map((name) => [name, 'SECRET']));
  createLogger('info', logTo).info({ ...all, one: { ...all, two: all } });
  const hidden = Object.fromEntries(names.map((name) => [name, '[redacted]']));
  t.match(lines()[0], { ...hidden, one: { ...hidden, two: hidden } });
  t.end();
});
