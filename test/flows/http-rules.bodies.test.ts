import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp, type Answer, type TestApp } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const survey = '/v1.0/survey';
const bytes = (...values: (string | number[])[]) =>
  Buffer.concat(values.map((value) => (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value))));

function isOwn400(t: Test, answer: Answer, path: string): void {
  t.equal(answer.status, 400);
  const { ValidationErrors, ...rest } = answer.json as { ValidationErrors: string[] };
  t.ok(ValidationErrors.length >= 1);
  t.same(Object.keys(rest), path === employees ? ['ApiOperationId'] : ['Message']);
}

/** Runs a call that must change nothing: of the employees at most the row of a refused import is written. */
async function changesNothing(
  t: Test,
  app: TestApp,
  path: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const before = await app.eventCount();
  const answer = await call();
  const row = path === employees && answer.status === 400 ? 1 : 0;
  t.equal(await app.eventCount(), before + row, 'no change');
  return answer;
}

t.test('hostile bodies', async (t) => {
  const app = await startTestApp(t);
  const survive = '"Firstname":"Ann","Lastname":"Example","Email":"ann@example.com","EmploymentStatus":0';
  const hostile: Record<string, string | Uint8Array> = {
    empty: '',
    'white space': ' \n',
    'no JSON': 'hello',
    'cut in the middle': '[{"EmployeeID":"1"',
    'text behind the end': '[] x',
    'deep nesting': '['.repeat(100_000),
    'deep nesting, closed': '['.repeat(5_000) + ']'.repeat(5_000),
    'deep objects': '{"a":'.repeat(100_000),
    ['__proto__']: `[{"EmployeeID":"1","__proto__":{"admin":true},${survive}}]`,
    'escaped __proto__': `[{"EmployeeID":"1","\\u005f_proto__":{"admin":true},${survive}}]`,
    'constructor.prototype': `[{"EmployeeID":"1","constructor":{"prototype":{"admin":true}},${survive}}]`,
    'invalid UTF-8': bytes('[{"EmployeeID":"', [0xff, 0xfe], `",${survive}}]`),
    'overlong UTF-8': bytes('[{"EmployeeID":"', [0xc0, 0xaf], `",${survive}}]`),
    'a surrogate in UTF-8': bytes('[{"EmployeeID":"', [0xed, 0xa0, 0x80], `",${survive}}]`),
    'UTF-16': Buffer.from('[]', 'utf16le'),
    'a byte order mark': bytes([0xef, 0xbb, 0xbf], '[]'),
    'a raw NUL': bytes('[{"EmployeeID":"a', [0], `b",${survive}}]`),
    'an escaped NUL': `[{"EmployeeID":"a\\u0000b",${survive}}]`,
    'a lone surrogate': `[{"EmployeeID":"a\\ud800b",${survive}}]`,
    'a member twice': `[{"EmployeeID":"1","EmployeeID":"2",${survive}}]`,
    'wrong types': `[{"EmployeeID":1,"Firstname":[],"Lastname":{},"Email":true,"EmploymentStatus":"0"}]`,
    'an over-long id': `[{"EmployeeID":"${'x'.repeat(51)}",${survive}}]`,
    'another kind of value': '"text"',
    null: 'null',
    'an array of null': '[null]',
    NaN: '[NaN]',
  };
  for (const [what, body] of Object.entries(hostile))
    t.test(what, async (t) => {
      for (const [method, path] of [
        ['PUT', employees],
        ['POST', survey],
        ['POST', '/v1.0/survey/Update'],
        ['POST', '/v1.0/survey/ChangeState/2'],
      ] as const) {
        const answer = await changesNothing(t, app, path, () => app.call(method, path, { body }));
        isOwn400(t, answer, path);
      }
    });
  t.equal(({} as Record<string, unknown>)['admin'], undefined);
});

t.test('a problem repeats nothing of the body', async (t) => {
  const app = await startTestApp(t);
  const answer = await app.call('POST', survey, { body: '{"Name":"secret-name" "x"}' });
  t.same(answer.json, {
    Message: 'The request is not valid.',
    ValidationErrors: ['The body is not valid JSON: unexpected character at byte 22'],
  });
});

t.test('types and packings', async (t) => {
  const app = await startTestApp(t);
  const put = (headers: Record<string, string>, body: unknown = '[]') =>
    app.call('PUT', `${employees}?dryRun=true`, { headers, body });
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ])
    t.equal((await put({ 'content-type': type })).status, 200, type);
  for (const type of [
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'nonsense',
    '',
  ])
    for (const [method, path] of [
      ['PUT', employees],
      ['POST', survey],
    ] as const) {
      const answer = await changesNothing(t, app, path, () =>
        app.call(method, path, { headers: { 'content-type': type }, body: Buffer.from('[]') }),
      );
      t.equal(answer.status, 415, `${method} ${type}`);
      t.same(Object.keys(answer.json as object), ['Message']);
    }
  for (const encoding of ['gzip', 'GZIP'])
    t.equal((await put({ 'content-encoding': encoding }, gzipSync('[]'))).status, 200, encoding);
  t.equal((await put({ 'content-encoding': 'identity' })).status, 200);
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd'])
    t.equal((await put({ 'content-encoding': encoding })).status, 415, encoding);
  isOwn400(t, await put({ 'content-encoding': 'gzip' }), employees);
  isOwn400(t, await put({ 'content-encoding': 'gzip' }, gzipSync('[         ]').subarray(0, 15)), employees);
  isOwn400(t, await app.call('POST', survey), survey);
});

t.test('nothing may stand behind the end of gzip but more of it', async (t) => {
  const app = await startTestApp(t);
  const headers = { 'content-encoding': 'gzip' };
  const put = (...parts: Uint8Array[]) =>
    app.call('PUT', `${employees}?dryRun=true`, { headers, body: Buffer.concat(parts) });
  t.equal((await put(gzipSync('['), gzipSync(']'))).status, 200, 'two members');
  for (const tail of ['\0', '\0\0\0\0', '\0[]', `\0${'x'.repeat(200_000)}`, 'x', '\x1f'])
    isOwn400(t, await put(gzipSync('[]'), Buffer.from(tail)), employees);
  const head = `PUT ${employees}?dryRun=true HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\n`;
  const packed = gzipSync('[]');
  const length = `Content-Encoding: gzip\r\nContent-Length: ${packed.length + 1}\r\n\r\n`;
  const answer = await sendRaw(app.port, [head + length, packed, Buffer.from([0])]);
  t.equal(statusOf(answer), 400, 'in a packet of its own');
});

t.test('bodies over the limit', async (t) => {
  const limits = { bodyLimit: 1_000, employeeBodyLimit: 5_000 };
  const app = await startTestApp(t, { config: limits, timeouts: { linger: 500 } });
  const array = (length: number) => `[${' '.repeat(length - 2)}]`;
  const dry = `${employees}?dryRun=true`;
  t.equal((await app.call('PUT', dry, { body: array(5_000) })).status, 200, 'the limit itself is within');
  const packed = { 'content-encoding': 'gzip' };
  t.equal((await app.call('PUT', dry, { body: gzipSync(array(5_000)), headers: packed })).status, 200);
  for (const [method, path, body, headers] of [
    ['PUT', employees, array(5_001), {}],
    ['PUT', employees, gzipSync(array(5_001)), packed],
    ['PUT', employees, gzipSync(array(50_000_000)), packed],
    ['POST', survey, array(1_001), {}],
    ['POST', survey, gzipSync(array(1_001)), packed],
  ] as const) {
    const answer = await changesNothing(t, app, path, () => app.call(method, path, { body, headers }));
    t.equal(answer.status, 413);
    t.match(answer.json, { Message: /bytes that this endpoint takes/ });
  }
  const chunked = [
    `POST ${survey} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n${(1_001).toString(16)}\r\n${array(1_001)}\r\n`,
  ];
  t.equal(statusOf(await sendRaw(app.port, chunked)), 413, 'before the end of an endless body');
});

t.test('a client that still sends sees the answer before its connection ends', async (t) => {
  const app = await startTestApp(t, { config: { employeeBodyLimit: 5_000 } });
  for (const connection of ['close', 'keep-alive']) {
    const socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true });
    t.teardown(() => socket.destroy());
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const errors: unknown[] = [];
    socket.on('error', (error) => errors.push(error));
    const answered = once(socket, 'data').then(([chunk]) => statusOf(String(chunk)));
    socket.write(
      `PUT ${employees} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `${(6_000).toString(16)}\r\n${' '.repeat(6_000)}\r\n`;
    socket.write(chunk);
    t.equal(await answered, 413);
    for (let n = 0; n < 20; n++) await new Promise((resolve) => socket.write(chunk, resolve));
    t.strictSame(errors, [], connection);
    socket.end('0\r\n\r\n');
    await closed;
  }
});

t.test('a body that is cut off', async (t) => {
  const app = await startTestApp(t);
  await app.call('PUT', employees, { body: [employee('1')] });
  const before = await app.eventCount();
  const whole = JSON.stringify([employee('1'), employee('2')]);
  const head = (length: string) =>
    `PUT ${employees} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  const declared = head(`Content-Length: ${whole.length + 10}`);
  const chunked = head('Transfer-Encoding: chunked');
  await sendRaw(app.port, [declared, whole], { halfClose: true });
  await sendRaw(app.port, [declared, whole], { timeoutMs: 200 });
  await sendRaw(app.port, [chunked, `${whole.length.toString(16)}\r\n${whole}\r\n`], { halfClose: true });
  await sendRaw(app.port, [chunked, `${whole.length.toString(16)}\r\n${whole}\r\n`], { timeoutMs: 200 });
  const packed = gzipSync(whole);
  const partial = packed.subarray(0, packed.length - 6);
  await sendRaw(app.port, [head(`Content-Encoding: gzip\r\nContent-Length: ${partial.length}`), partial], {
    timeoutMs: 500,
  });
  await app.projected();
  const now = (await app.call('GET', employees)).json as object[];
  t.match(now, exactly([{ EmployeeID: '1' }]));
  t.equal(now.length, 1);
  for (const row of (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`)).json as {
    HttpStatusCode: number;
  }[])
    t.ok([200, 400].includes(row.HttpStatusCode));
  t.ok((await app.eventCount()) <= before + 5, 'at most the rows of refused imports');
});

const employee = (id: string) => ({
  EmployeeID: id,
  Firstname: 'Ann',
  Lastname: 'Example',
  Email: `ann${id}@example.com`,
  EmploymentStatus: 0,
});

t.test('slow uploads', async (t) => {
  const app = await startTestApp(t, { timeouts: { headers: 300, bodyProgress: 300, linger: 100 } });
  const head = (path: string, app: TestApp) =>
    `${path === survey ? 'POST' : 'PUT'} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\n`;
  for (const path of [survey, employees]) {
    const answer = await sendRaw(app.port, [`${head(path, app)}Content-Length: 100\r\n\r\n[`]);
    t.equal(statusOf(answer), 408, 'that stand still are cut');
    t.same(Object.keys(JSON.parse(bodyOf(answer)) as object), ['Message']);
  }
  const slowHead = await sendRaw(app.port, ['GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ']);
  t.equal(statusOf(slowHead), 408, 'headers too');

  const patient = await startTestApp(t, { timeouts: { bodyProgress: 1_000 } });
  const socket = connect(patient.port, '127.0.0.1');
  const answered = new Promise<string>((resolve) =>
    socket.once('data', (chunk) => resolve(chunk.toString())),
  );
  const step = ' '.repeat(128 * 1024);
  socket.write(
    `${head(`${employees}?dryRun=true`, patient)}Content-Length: ${10 * step.length + 2}\r\n\r\n[`,
  );
  for (let i = 0; i < 10; i++) {
    await wait(150);
    socket.write(step);
  }
  socket.write(']');
  t.equal(statusOf(await answered), 200, 'that go on may last longer than that');
  socket.destroy();
});

t.test('a large body arrives whole, packed or not', async (t) => {
  const app = await startTestApp(t);
  // Each element within its own limit.
  const large = ['1', '2', '3', '4'].map((id) => ({
    ...employee(id),
    Extra: randomBytes(750_000).toString('base64'),
  }));
  const body = JSON.stringify(large);
  const sha256 = createHash('sha256').update(body).digest('hex');
  for (const [packed, headers] of [
    [body, {}],
    [gzipSync(body), { 'content-encoding': 'gzip' }],
  ] as const)
    t.match((await app.call('PUT', employees, { body: packed, headers })).json, { WasQueued: false });
  let recorded = 0;
  for await (const event of app.adapters.log.readStream(`company-${companyId}`))
    if (Buffer.from(event.data).includes(sha256)) recorded++;
  t.equal(recorded, 2, 'with the SHA-256 of its unpacked bytes');
});
