import { gzipSync } from 'node:zlib';
import { configureCompany, systemClock } from '@rollcall/application';
import t, { type Test } from 'tap';
import { sendRaw } from '../support/raw-http.js';
import { companyId, startTestApp, testContext, type Answer, type TestApp } from '../support/test-app.js';
import {
  employees,
  endpoints,
  importSettings as settings,
  managers,
  operationOf,
  payloadOf,
  payloads,
  put,
  respondAsync,
  rowOf,
  rowsOf,
  runQueue,
  type Endpoint,
} from './imports.support.js';
import { exactly } from '../support/exactly.js';

/** A 202 with everything that belongs to it; gives its ApiOperationId. */
async function queued(t: Test, app: TestApp, answer: Answer): Promise<string> {
  t.equal(answer.status, 202, answer.text);
  const operationId = operationOf(answer);
  const none = { Inserted: 0, Updated: 0, Removed: 0 };
  t.same(answer.json, { ApiOperationId: operationId, ...none, WasQueued: true, IgnoredFields: null });
  const location = answer.headers.get('location') ?? '';
  t.equal(location, `/v1.0/Company/${companyId}/ApiCalls?ApiOperationId=${operationId}`);
  t.equal(answer.headers.get('retry-after'), '1');
  t.equal(answer.headers.get('idempotent-replayed'), null);
  const rows = (await app.call('GET', location)).json;
  t.match(
    rows,
    exactly([{ ApiOperationId: operationId, HttpStatusCode: 202, HttpStatusReason: 'Accepted' }]),
  );
  return operationId;
}

t.test('a list of employees is queued by its bytes too', async (t) => {
  const app = await startTestApp(t, { settings, config: { queueBodyBytes: 20_000 } });
  const sized = (bytes: number, { body }: Endpoint = employees): string => {
    const text = JSON.stringify(body(2));
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };
  t.equal((await put(app, employees, sized(19_999))).status, 200);
  await queued(t, app, await put(app, employees, sized(20_000)));
  await runQueue(app);
  const packed = { headers: { 'content-encoding': 'gzip' } };
  t.equal((await put(app, employees, gzipSync(sized(20_000)), packed)).status, 202, 'unpacked');
  await runQueue(app);
  t.equal((await put(app, managers, sized(20_000, managers))).status, 200);
});

const colleague = (app: TestApp) => ({ token: app.token({ claims: { sub: '2' } }) });

for (const endpoint of endpoints)
  t.test(endpoint.kind, async (t) => {
    t.test('Prefer: respond-async', async (t) => {
      const app = await startTestApp(t, { settings });
      const body = JSON.stringify(endpoint.body(2));
      const answer = await put(app, endpoint, body, respondAsync);
      const operationId = await queued(t, app, answer);
      t.equal(answer.headers.get('preference-applied'), 'respond-async');
      t.equal(await payloadOf(app, operationId), body, 'the body lies in the log as it came');
      t.match(await rowOf(t, app, operationId), { Method: `PUT ${endpoint.path}`, CompletedOn: null });
      t.equal((await app.call('GET', endpoint.setPath)).headers.get('etag'), null, 'nothing is done yet');
      t.same(await runQueue(app), [{ operationId, outcome: 'done' }]);
      t.match(await rowOf(t, app, operationId), {
        HttpStatusCode: 200,
        HttpStatusReason: 'OK',
        Inserted: 2,
        CompletedOn: /Z$/,
      });
      t.ok((await app.call('GET', endpoint.setPath)).headers.get('etag'));
      t.equal((await put(app, endpoint, body)).status, 200, 'the queue is empty again');
    });

    t.test('Prefer with anything else', async (t) => {
      const app = await startTestApp(t, { settings });
      for (const prefer of [
        '',
        'wait=5',
        'return=minimal, handling="respond-async"',
        'respond-asynchronously',
      ]) {
        const answer = await put(app, endpoint, endpoint.body(1), { headers: { prefer } });
        t.equal(answer.status, 200, prefer);
        t.equal(answer.headers.get('preference-applied'), null);
      }
      for (const prefer of ['wait=5, RESPOND-ASYNC;x=1', 'respond-async, respond-async']) {
        const answer = await put(app, endpoint, endpoint.body(1), { headers: { prefer } });
        t.equal(answer.status, 202, prefer);
      }
    });

    t.test('packed by gzip', async (t) => {
      const app = await startTestApp(t, { settings });
      const body = JSON.stringify(endpoint.body(100));
      const answer = await put(app, endpoint, gzipSync(body), {
        headers: { ...respondAsync.headers, 'content-encoding': 'gzip' },
      });
      const operationId = await queued(t, app, answer);
      t.equal(await payloadOf(app, operationId), body, 'unpacked');
      t.same(await runQueue(app), [{ operationId, outcome: 'done' }]);
      t.match(await rowOf(t, app, operationId), { HttpStatusCode: 200, Inserted: 100 });
    });

    t.test('what is refused is not queued, and leaves no payload', async (t) => {
      const limits = { employeeBodyLimit: 5_000, managerBodyLimit: 5_000 };
      const app = await startTestApp(t, { settings, config: limits, timeouts: { linger: 300 } });
      const packed = { 'content-encoding': 'gzip' };
      const huge = JSON.stringify(endpoint.body(1_000));
      for (const [status, body, headers] of [
        [400, endpoint.invalid, {}],
        [400, '{', {}],
        [400, '', {}],
        [400, gzipSync(huge).subarray(0, 60), packed],
        [400, endpoint.body(1), { 'if-match': '5' }],
        [400, endpoint.body(1), { 'idempotency-key': '"' }],
        [412, endpoint.body(1), { 'if-match': '"5"' }],
        [413, huge, {}],
        [413, gzipSync(huge), packed],
        [415, endpoint.body(1), { 'content-type': 'text/plain' }],
      ] as const) {
        const answer = await put(app, endpoint, body, { headers: { ...respondAsync.headers, ...headers } });
        t.equal(answer.status, status, answer.text);
      }
      const text = JSON.stringify(endpoint.body(1));
      const head = `PUT ${endpoint.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token()}\r\nContent-Type: application/json\r\nPrefer: respond-async\r\n`;
      for (const options of [{ halfClose: true }, { timeoutMs: 200 }]) {
        await sendRaw(app.port, [`${head}Content-Length: ${text.length + 1}\r\n\r\n`, text], options);
        const chunk = `${text.length.toString(16)}\r\n${text}\r\n`;
        await sendRaw(app.port, [`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk], options);
      }
      t.same(await payloads(app), []);
      t.same(await runQueue(app), []);
      t.same(
        (await rowsOf(app)).filter(({ HttpStatusCode }) => HttpStatusCode !== 400),
        [],
      );
    });

    t.test('a rehearsal is never queued', async (t) => {
      const app = await startTestApp(t, { settings: { ...settings, queueThreshold: 1 } });
      await put(app, endpoint, endpoint.body(1), respondAsync);
      const rehearsed = await put(app, endpoint, endpoint.body(300), {
        ...respondAsync,
        query: '?dryRun=true',
      });
      t.equal(rehearsed.status, 200);
      t.equal(rehearsed.headers.get('preference-applied'), null);
      t.match(rehearsed.json, { DryRun: true, WasQueued: false, PendingImports: 1 });
      t.equal((await payloads(app)).length, 1);
    });

    t.test('a queued import is refused by the rules of the moment when it runs', async (t) => {
      const app = await startTestApp(t, { settings });
      const operationId = operationOf(await put(app, endpoint, endpoint.body(1), respondAsync));
      await configure(app, { integrationEnabled: false });
      await runQueue(app);
      t.match(await rowOf(t, app, operationId), {
        HttpStatusCode: 400,
        ValidationErrors: exactly(['Company integration is not allowed']),
      });
    });
  });

async function configure(app: TestApp, changes: object): Promise<void> {
  const deps = { log: app.adapters.log, clock: systemClock };
  await configureCompany(deps, testContext(companyId), { companyId, changes });
}

const statusesOf = async (
  app: TestApp,
  calls: readonly (readonly [Endpoint, number])[],
): Promise<number[]> => {
  const statuses = [];
  for (const [endpoint, elements] of calls)
    statuses.push((await put(app, endpoint, endpoint.body(elements))).status);
  return statuses;
};

t.test('an array as long as the threshold is queued', async (t) => {
  const app = await startTestApp(t, { settings: { ...settings, queueThreshold: 10 } });
  t.same(
    await statusesOf(app, [
      [employees, 9],
      [employees, 10],
    ]),
    [200, 202],
  );
  await runQueue(app);
  await configure(app, { queueThreshold: null });
  t.same(await statusesOf(app, [[employees, 1_500]]), [200], 'or never');
  await configure(app, { queueThreshold: 1 });
  t.same(
    await statusesOf(app, [
      [managers, 199],
      [managers, 200],
    ]),
    [200, 202],
    'of managers always from 200',
  );
});

t.test('behind a pending import', async (t) => {
  t.test('of employees: every import of the same user', async (t) => {
    const app = await startTestApp(t, { settings });
    await put(app, employees, employees.body(1), respondAsync);
    t.same(
      await statusesOf(app, [
        [employees, 2],
        [managers, 1],
        [employees, 3],
      ]),
      [202, 202, 202],
    );
    t.same(
      (await runQueue(app)).map(({ outcome }) => outcome),
      ['done', 'done', 'done', 'done'],
    );
    const rows = await rowsOf(app);
    t.same(
      rows.map(({ Method, Inserted }) => [Method.split('/').at(-1), Inserted]),
      [
        ['Employee', 1],
        ['ManagerImport', 1],
        ['Employee', 1],
        ['Employee', 1],
      ],
      'in the order of their acceptance',
    );
    t.same(
      await statusesOf(app, [
        [employees, 3],
        [managers, 1],
      ]),
      [200, 200],
    );
  });

  t.test("another user's employees: employees, not managers", async (t) => {
    const app = await startTestApp(t, { settings });
    await put(app, employees, employees.body(1), { ...respondAsync, ...colleague(app) });
    t.same(
      await statusesOf(app, [
        [managers, 1],
        [employees, 1],
      ]),
      [200, 202],
    );
  });

  t.test('of managers: employees and managers of everybody', async (t) => {
    const app = await startTestApp(t, { settings });
    await put(app, managers, managers.body(1), { ...respondAsync, ...colleague(app) });
    t.same(
      await statusesOf(app, [
        [managers, 1],
        [employees, 1],
      ]),
      [202, 202],
    );
  });
});

t.test('a batch limit counts when the import is carried out', async (t) => {
  const app = await startTestApp(t, { settings: { ...settings, batchLimit: 25, queueThreshold: null } });
  t.same(await statusesOf(app, [[employees, 100]]), [200]);
  const answer = await put(app, employees, [], respondAsync);
  const operationId = await queued(t, app, answer);
  await runQueue(app);
  t.match(await rowOf(t, app, operationId), {
    HttpStatusCode: 400,
    ValidationErrors: exactly([/of 100 employees present, 0 would be inserted and 100 removed/]),
  });
});
