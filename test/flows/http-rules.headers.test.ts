import { readServerConfig } from '@rollcall/api';
import t from 'tap';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { companyId, startTestApp } from '../support/test-app.js';

const employees = `/v1.0/Company/${companyId}/Employee`;

t.test('headers of answers', async (t) => {
  const app = await startTestApp(t);

  t.test('every answer forbids to guess its type, and to be a page', async (t) => {
    for (const [method, path] of [
      ['GET', '/health/live'],
      ['GET', '/openapi.json'],
      ['GET', '/nothing'],
      ['DELETE', employees],
      ['GET', `${employees}?x=1`],
      ['GET', employees],
      ['PUT', `${employees}?dryRun=true`],
    ] as const) {
      const { headers } = await app.call(method, path);
      t.equal(headers.get('x-content-type-options'), 'nosniff', path);
      t.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", path);
    }
    for (const request of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    ])
      t.match(await sendRaw(app.port, [request]), /^x-content-type-options: nosniff\r$/im);
  });

  t.test('what tells of persons is not stored on its way', async (t) => {
    for (const path of ['Employee', 'Managers', 'Invitations', 'ApiCalls', 'Employee?Top=1']) {
      const { status, headers } = await app.call(
        'GET',
        path.startsWith('/') ? path : `/v1.0/Company/${companyId}/${path}`,
      );
      t.equal(status, 200);
      t.equal(headers.get('cache-control'), 'no-store', path);
    }
    for (const [method, path] of [
      ['PUT', `/v1.0/User/${companyId}/ManagerImport?dryRun=true`],
      ['PUT', `/v1.0/User/${companyId}/ManagerImport`],
      ['GET', `/v1.0/Survey?companyId=${companyId}`],
      ['GET', '/v1.0/Survey/1'],
    ] as const) {
      const { headers } = await app.call(
        method,
        path,
        method === 'PUT' ? { body: { ManagerRoles: [] } } : {},
      );
      t.equal(headers.get('cache-control'), 'no-store', path);
    }
    for (const body of ['[]', '[{"EmployeeID":"A"}]'])
      for (const query of ['', '?dryRun=true'])
        t.equal(
          (await app.call('PUT', employees + query, { body })).headers.get('cache-control'),
          'no-store',
        );
  });

  t.test('the reference takes nothing from elsewhere', async (t) => {
    for (const path of ['/docs', '/docs/', '/docs/static/swagger-ui-bundle.js', '/docs/static/nothing.js']) {
      const { headers } = await app.call('GET', path, { token: null });
      const policy = headers.get('content-security-policy') ?? '';
      t.match(policy, /^default-src 'none'; script-src 'self'; /, path);
      t.notMatch(policy, /unsafe|https?:/);
      t.equal(headers.get('x-content-type-options'), 'nosniff', path);
    }
  });
});

t.test('two Authorization headers are 401', async (t) => {
  const app = await startTestApp(t);
  const good = `Authorization: Bearer ${app.token()}\r\n`;
  const status = async (headers: string): Promise<number> =>
    statusOf(
      await sendRaw(app.port, [
        `GET ${employees} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`,
      ]),
    );
  t.equal(await status(good), 200);
  for (const second of [good, 'Authorization: Bearer x\r\n', 'authorization:\r\n']) {
    t.equal(await status(good + second), 401);
    t.equal(await status(second + good), 401);
  }
});

t.test('/metrics is a path of the api only where nobody else reaches it', (t) => {
  const serves = (env: NodeJS.ProcessEnv): boolean => readServerConfig(env).api.servesMetrics;
  for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
    t.equal(serves({ HOST }), true, HOST);
    t.equal(serves({ HOST, METRICS_PORT: '9464' }), false);
  }
  t.equal(serves({}), true);
  for (const HOST of ['0.0.0.0', '::', '10.0.0.5', '127.0.0.1.example.com', 'localhost.example.com'])
    t.equal(serves({ HOST }), false, HOST);
  t.end();
});

t.test('bytes that are no request change nothing about the answer to the one before', async (t) => {
  const app = await startTestApp(t);
  const head = (line: string): string =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\n`;
  const put = `${head(`PUT ${employees}`)}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`;
  for (const garbage of ['\0\0garbage', '\0', 'x'.repeat(100_000)]) {
    const answer = await sendRaw(app.port, [put, garbage, garbage]);
    t.match(answer, /^HTTP\/1\.1 200 [^]*connection: close\r\n/i, JSON.stringify(garbage.slice(0, 9)));
    t.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, 'and nothing follows');
  }
  const get = `${head(`GET /v1.0/Company/${companyId}/ApiCalls`)}\r\n`;
  t.match(await sendRaw(app.port, [get + '\0']), /^HTTP\/1\.1 200 /);
  t.equal(statusOf(await sendRaw(app.port, ['\0'])), 400, 'without a request before them');
  const unended = `${head(`PUT ${employees}`)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  t.equal(statusOf(await sendRaw(app.port, [unended, 'no length'])), 400, 'within a body');
});
