import t from 'tap';
import { exactly } from '../support/exactly.js';
import { companyId, startTestApp } from '../support/test-app.js';
import { bodyOf, sendRaw, statusOf } from '../support/raw-http.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const survey = '/v1.0/survey';
const isMessage = { Message: String };

t.test('paths', async (t) => {
  const app = await startTestApp(t);

  t.test('are matched in any case, with or without a trailing slash', async (t) => {
    for (const path of [employees, employees.toLowerCase(), employees.toUpperCase(), `${employees}/`])
      t.equal((await app.call('GET', path)).status, 200, path);
  });

  t.test('that nobody knows are 404, without a token too', async (t) => {
    for (const path of [
      '/',
      '/v1.0',
      '/v1.0/nothing',
      '/v2.0/survey',
      '/%zz',
      '/v1.0/%ff',
      '/v1.0/Company//Nothing',
    ]) {
      const answer = await app.call('GET', path, { token: null });
      t.equal(answer.status, 404, path);
      t.match(answer.json, isMessage);
      t.same(Object.keys(answer.json as object), ['Message']);
    }
  });

  t.test('with another method are 405 and tell the methods they take', async (t) => {
    for (const [method, path, allow] of [
      ['DELETE', employees, 'GET, HEAD, PUT'],
      ['POST', `${employees}/`, 'GET, HEAD, PUT'],
      ['GET', '/v1.0/survey/update', 'POST'],
      ['PUT', survey, 'GET, HEAD, POST'],
      ['OPTIONS', '/health/live', 'GET, HEAD'],
      ['PROPFIND', '/health/live', 'GET, HEAD'],
      ['POST', '/openapi.json', 'GET, HEAD'],
    ] as const) {
      const answer = await app.call(method, path, { token: null });
      t.equal(answer.status, 405, `${method} ${path}`);
      t.equal(answer.headers.get('allow'), allow, `${method} ${path}`);
      t.match(answer.json, isMessage);
    }
  });

  t.test('answer HEAD like GET, without a body', async (t) => {
    const company = `/v1.0/Company/${companyId}`;
    for (const path of [
      employees,
      '/health/live',
      '/openapi.json',
      `${company}/ApiCalls`,
      `${company}/Managers`,
    ]) {
      const answer = await app.call('HEAD', path);
      t.equal(answer.status, 200, path);
      t.equal(answer.text, '');
      const { headers, text } = await app.call('GET', path);
      const length = headers.get('content-length') ?? String(Buffer.byteLength(text));
      t.equal(answer.headers.get('content-length') ?? length, length, `${path}: its length, or none`);
    }
    t.equal((await app.call('HEAD', '/nothing')).status, 404);
    t.equal((await app.call('HEAD', employees, { token: null })).status, 401);
  });

  t.test("with any company but the token's are 401", async (t) => {
    const ids = [
      '8',
      '0',
      '-1',
      '07',
      '7.0',
      '7e0',
      '1e3',
      '9007199254740992',
      '%zz',
      '%00',
      'x'.repeat(5000),
      '7%2F',
      ' 7',
    ];
    for (const id of ids)
      for (const rest of ['Employee', 'ApiCalls', 'Language/Enabled']) {
        const answer = await app.call('GET', `/v1.0/Company/${id}/${rest}`);
        t.equal(answer.status, 401, `${id.slice(0, 20)} ${rest}`);
      }
  });

  t.test('with a survey id that cannot be answer as an unknown one', async (t) => {
    for (const id of ['1', '0', '-1', '01', '1e3', '9007199254740992', 'abc', '%zz', '9'.repeat(5000)]) {
      const answer = await app.call('GET', `${survey}/${id}`);
      t.equal(answer.status, 404, id.slice(0, 20));
      t.match(answer.json, isMessage);
    }
  });
});

t.test('every answer carries X-Request-Id', async (t) => {
  const app = await startTestApp(t);
  const echoed = async (id: string) =>
    (await app.call('GET', '/health/live', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  t.equal(await echoed('abc 1~'), 'abc 1~');
  t.equal(await echoed('x'.repeat(128)), 'x'.repeat(128));
  t.match(await echoed('x'.repeat(129)), /^[0-9a-f-]{36}$/);
  t.match(await echoed('tab\tbed'), /^[0-9a-f-]{36}$/);
  t.match(await echoed('\u00e6'), /^[0-9a-f-]{36}$/);
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', employees],
    ['DELETE', employees],
    ['POST', survey],
  ] as const)
    t.ok((await app.call(method, path, { token: null })).headers.get('x-request-id'), `${method} ${path}`);
});

t.test('queries', async (t) => {
  const app = await startTestApp(t);
  const before = await app.eventCount();
  const problems = async (method: string, path: string, body?: unknown) => {
    const answer = await app.call(method, path, { body });
    t.equal(answer.status, 400, path);
    const { ValidationErrors } = answer.json as { ValidationErrors: string[] };
    return ValidationErrors;
  };

  t.test('have names in any case', async (t) => {
    t.equal((await app.call('GET', `${employees}?tOP=1&AFTER=1`)).status, 200);
  });
  t.test('with a bad value are 400', async (t) => {
    t.same(await problems('GET', `${employees}?Top=0`), [
      "Query parameter 'Top' must be an integer from 1 to 10000",
    ]);
    for (const bad of ['1.0', '1e3', '01', '', '+1', ' 1', '99999999999999999', 'x'])
      await problems('GET', `${employees}?Top=${bad}`);
    for (const bad of [
      'After=-1',
      'After=A-1',
      'EmployeeID=%00',
      'EmployeeID=%ff',
      'EmployeeID=',
      `EmployeeID=${'x'.repeat(51)}`,
      'Top=1&top=1',
    ])
      await problems('GET', `${employees}?${bad}`);
    t.same(await problems('GET', `/v1.0/Company/${companyId}/ApiCalls?ApiOperationId=x`), [
      "Query parameter 'ApiOperationId' must be a UUID",
    ]);
  });
  t.test('with an unknown name are 400, and nothing is done', async (t) => {
    t.same(await problems('GET', `${employees}?Aftr=x`), [
      "Query parameter 'Aftr' is unknown; known are Top, After, EmployeeID, Revision",
    ]);
    t.same(await problems('POST', `${survey}?x=1`, {}), [
      "Query parameter 'x' is unknown: this endpoint takes none",
    ]);
    t.equal(await app.eventCount(), before);
    const answer = await app.call('PUT', `${employees}?dryrn=true`, { body: [] });
    t.equal(answer.status, 400);
    t.match(answer.json, {
      ApiOperationId: /^[0-9a-f-]{36}$/,
      ValidationErrors: exactly(["Query parameter 'dryrn' is unknown; known are dryRun"]),
    });
    for (const bad of ['1', 'TRUE', '', 'yes', 'false&dryRun=true'])
      t.equal((await app.call('PUT', `${employees}?dryRun=${bad}`, { body: [] })).status, 400, bad);
    t.equal(await app.eventCount(), before + 5, 'the rows of five refused imports; a rehearsal leaves none');
  });
});

t.test('what the HTTP parser refuses has our body too', async (t) => {
  const app = await startTestApp(t);
  const requests: [string, number][] = [
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
    ['POST /v1.0/survey HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    ['POST /v1.0/survey HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n', 417],
  ];
  for (const [request, status] of requests) {
    const answer = await sendRaw(app.port, [request]);
    t.equal(statusOf(answer), status, JSON.stringify(request.slice(0, 40)));
    t.match(answer, /^x-request-id: [0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/im);
    t.match(JSON.parse(bodyOf(answer)), isMessage);
    t.notMatch(bodyOf(answer), /statusCode|"error"/);
  }
  const named =
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n';
  t.match(await sendRaw(app.port, [named]), /^x-request-id: mine\r$/im);
});

t.test('HTTP/1.0 needs no Host, and a kept connection waits 65 s', async (t) => {
  const app = await startTestApp(t);
  t.equal((await sendRaw(app.port, ['GET /health/live HTTP/1.0\r\n\r\n'])).slice(0, 12), 'HTTP/1.1 200');
  const kept = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  t.match(await sendRaw(app.port, [kept, last]), /^keep-alive: timeout=65\r$/im);
});
