import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { employeesBody, generatedEmployees } from '../generators/employees.js';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { payloadOf, payloads, runQueue } from './imports.support.js';

const path = `/v1.0/Company/${companyId}/Employee`;
const body = employeesBody(5_000);

const head = (app: TestApp, length: number): string =>
  `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${app.token()}\r\n` +
  `Content-Type: application/json\r\nPrefer: respond-async\r\nContent-Length: ${length}\r\n\r\n`;

const none = (app: TestApp) => until('no payload is left', async () => (await payloads(app)).length === 0);

/** An upload that has come so far that its payload has begun. */
async function halfSent(t: Test, app: TestApp) {
  const socket = connect(app.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  const answer = once(socket, 'data').then(([chunk]) => String(chunk));
  answer.catch(() => undefined);
  await once(socket, 'connect');
  const half = Math.floor(body.length / 2);
  socket.write(head(app, body.length));
  socket.write(body.subarray(0, half));
  await until('the payload has begun', async () => (await payloads(app)).length === 1);
  return { socket, answer, rest: body.subarray(half) };
}

t.test('the payload of a call that is sure to be queued is written while it arrives', async (t) => {
  const app = await startTestApp(t);
  const { socket, answer, rest } = await halfSent(t, app);
  socket.write(rest);
  const text = await answer;
  t.equal(statusOf(text), 202);
  const { ApiOperationId } = JSON.parse(bodyOf(text)) as { ApiOperationId: string };
  t.strictSame(await payloads(app), [`payload-${ApiOperationId}`, `payload-${ApiOperationId}-1`]);
  t.ok((await payloadOf(app, ApiOperationId)) === body.toString());
  t.strictSame(await runQueue(app), [{ operationId: ApiOperationId, outcome: 'done' }]);
});

t.test('an upload that is cut off leaves no payload', async (t) => {
  const app = await startTestApp(t);
  const { socket } = await halfSent(t, app);
  socket.destroy();
  await none(app);
});

t.test('a call that is refused leaves no payload', async (t) => {
  const app = await startTestApp(t);
  const put = async (bytes: Buffer): Promise<number> =>
    statusOf(await sendRaw(app.port, [head(app, bytes.length), bytes]));
  const invalid = Buffer.from(JSON.stringify([...generatedEmployees(5_000), { EmployeeID: 'x' }]));
  t.equal(await put(invalid), 400);
  await none(app);
  t.equal(await put(body.subarray(0, -1)), 400);
  await none(app);
  const headers = { prefer: 'respond-async', 'if-match': '"99"' };
  t.equal((await app.call('PUT', path, { body, headers })).status, 412);
  await none(app);
});

t.test('a call that repeats its key leaves the payload of the first one, and no other', async (t) => {
  const app = await startTestApp(t);
  const headers = { prefer: 'respond-async', 'idempotency-key': 'k' };
  const first = await app.call('PUT', path, { body, headers });
  const again = await app.call('PUT', path, { body, headers });
  t.strictSame([first.status, again.status], [202, 202]);
  t.match(again.json, { ApiOperationId: (first.json as { ApiOperationId: string }).ApiOperationId });
  await until('one payload is left', async () => (await payloads(app)).length === 2);
  const [{ outcome } = { outcome: '' }] = await runQueue(app);
  t.equal(outcome, 'done');
});

t.test('a rehearsal writes no payload', async (t) => {
  const app = await startTestApp(t);
  const headers = { prefer: 'respond-async' };
  t.equal((await app.call('PUT', `${path}?dryRun=true`, { body, headers })).status, 200);
  t.strictSame(await payloads(app), []);
});
