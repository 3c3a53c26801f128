import { addApiUser, systemClock } from '@rollcall/application';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { signedIn } from './page.support.js';
import { ManualTime } from '../support/manual-timer.js';
import { until } from '../support/until.js';
import { companyId, startTestApp, testContext, type TestApp } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';

const company = `/v1.0/Company/${companyId}`;

async function eventsIn(
  app: TestApp,
  begin: string,
): Promise<{ type: string; data: unknown; metadata: unknown }[]> {
  const found = [];
  for await (const { stream } of app.adapters.log.listStreams(begin))
    for await (const { type, data, metadata } of app.adapters.log.readStream(stream)) {
      const [read, about] = [data, metadata].map((json): unknown => JSON.parse(Buffer.from(json).toString()));
      found.push({ type, data: read, metadata: about });
    }
  return found;
}

t.test('reads of personal data are recorded a minute later, and never move the company', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { every: time.every, shape: 'one' });
  const person = (n: number) => ({
    ...{
      EmployeeID: `A-${n}`,
      Firstname: 'A',
      Lastname: 'B',
      Email: `a${n}@example.com`,
      EmploymentStatus: 0,
      // Due at every hour of the day.
      InvitationDate: '2026-01-01T08:00:00Z',
    },
  });
  await app.call('PUT', `${company}/Employee`, { body: [person(1), person(2), person(3)] });
  await app.projected();
  const before = (await app.adapters.log.readLast(`company-${companyId}`))?.revision;
  const headers = { 'x-request-id': 'nightly-1' };
  t.equal((await app.call('GET', `${company}/Employee`, { headers })).status, 200);
  t.equal((await app.call('GET', `${company}/Employee?Top=2`, { headers })).status, 200);
  await app.call('GET', `${company}/Managers`, { headers });
  await app.call('GET', `${company}/Invitations`, { headers });
  for (const path of ['Employee', 'Employee?Top=1', 'Managers', 'Invitations'])
    t.equal((await app.call('HEAD', `${company}/${path}`, { headers })).status, 200, path);
  await app.call('GET', `${company}/ApiCalls`);
  const dryRun = `${company}/Employee?dryRun=true`;
  await app.call('PUT', dryRun, { headers, body: [person(1), person(2), person(3)] });
  t.match(await app.call('PUT', dryRun, { headers, body: [] }), {
    json: { Changes: { Removed: { length: 3 } } },
  });
  t.match((await app.call('PUT', `${dryRun}&Details=true`, { headers, body: [] })).json, { Removed: 3 });
  const asCsv = {
    authorization: `Bearer ${app.token()}`,
    'content-type': 'application/json',
    accept: 'text/csv',
  };
  const sent = {
    method: 'PUT',
    headers: { ...headers, ...asCsv },
    body: JSON.stringify([person(1), person(4)]),
  };
  t.match(await (await fetch(`${app.url}${dryRun}&Details=true`, sent)).text(), /Removed,3,A-3/);
  await app.call('GET', `${company}/Employee`, { token: app.token({ header: { kid: 'foreign' } }) });
  await app.call('GET', `${company}/Employee`, { token: null });
  await app.call('GET', `${company}/Employee`, { token: app.token({ claims: { sub: '2', roles: [] } }) });
  await app.call('GET', '/v1.0/Survey?companyId=8');
  t.equal((await app.call('GET', '/operations/sign-in/none', { token: null })).status, 401);
  const visitor = await signedIn(app);
  t.equal((await visitor.get(`/operations/invitations?company=${companyId}`)).status, 200);
  t.strictSame(await eventsIn(app, 'reads-'), []);
  await time.tick(60_000);
  t.match(
    await eventsIn(app, 'reads-'),
    exactly([
      {
        type: 'PersonalDataRead',
        metadata: { companyId, userId: 1 },
        data: {
          reads: [
            { what: 'employees', calls: 2, rows: 5, requestId: 'nightly-1' },
            { what: 'managers', calls: 1, rows: 0 },
            { what: 'invitations', calls: 1 },
            { what: 'preview of a list', calls: 2, rows: 6, requestId: 'nightly-1' },
          ],
        },
      },
      {
        metadata: { companyId, username: 'operator:Ada' },
        data: { reads: [{ what: 'invitations', calls: 1, rows: 3 }] },
      },
    ]),
  );
  t.match(
    await eventsIn(app, 'refusals-'),
    exactly([
      {
        type: 'AuthenticationsRefused',
        data: {
          refused: [
            { kid: 'foreign', subject: '1', count: 1 },
            { kid: null, subject: null, count: 1 },
            { kid: 'test-key', subject: '2', count: 1 },
            { kid: 'test-key', subject: '1', count: 1 },
          ],
        },
      },
    ]),
  );
  t.equal((await app.adapters.log.readLast(`company-${companyId}`))?.revision, before);
  await app.projected();
});

t.test('an auditor reads everything of the company, and changes nothing', async (t) => {
  const app = await startTestApp(t);
  const { log } = app.adapters;
  const command = { companyId, name: 'Audit office', roles: ['Auditor'] as const };
  const added = await addApiUser({ log, clock: systemClock }, testContext(companyId), command);
  const sub = added.kind === 'added' ? String(added.user.userId) : '';
  await app.projected();
  const token = app.token({ claims: { sub, roles: ['Auditor'] } });
  for (const path of ['Employee', 'Managers', 'Invitations', 'ApiCalls', 'Limits'])
    for (const method of ['GET', 'HEAD'] as const)
      t.equal((await app.call(method, `${company}/${path}`, { token })).status, 200, `${method} ${path}`);
  t.equal((await app.call('GET', `/v1.0/Survey?companyId=${companyId}`, { token })).status, 200, 'surveys');
  const before = await app.eventCount();
  for (const [method, path] of [
    ['PUT', `${company}/Employee`],
    ['PUT', `/v1.0/User/${companyId}/ManagerImport`],
    ['POST', '/v1.0/Survey'],
    ['POST', '/v1.0/Survey/Update'],
    ['POST', '/v1.0/Survey/ChangeState/2'],
  ] as const)
    t.equal((await app.call(method, path, { token, body: [] })).status, 401, `${method} ${path}`);
  t.equal(await app.eventCount(), before);
  t.equal((await app.call('GET', '/v1.0/Company/8/Employee', { token })).status, 401, 'another company');
});

t.test('a process that stops records reads also while a slow caller keeps it from its end', async (t) => {
  const time = new ManualTime();
  let stopping: { readonly app: TestApp; readonly slow: Socket } | undefined;
  const stopped = t.test('it is stopped', async (t) => {
    const app = await startTestApp(t, { every: time.every, shape: 'one' });
    await app.call('GET', `${company}/Managers`);
    const slow = connect({ port: app.port, host: '127.0.0.1' });
    slow.write('GET /health/live HTTP/1.1\r\n');
    await app.call('GET', '/health/live', { token: null });
    stopping = { app, slow };
  });
  const { app, slow } = await until('an app', () => stopping);
  const isRefused = (): Promise<boolean> =>
    fetch(`${app.url}/health/live`).then(
      () => false,
      () => true,
    );
  await until('the end of listening', isRefused);
  t.strictSame(await eventsIn(app, 'reads-'), []);
  await time.tick(5_000);
  t.match(await eventsIn(app, 'reads-'), exactly([{ data: { reads: [{ what: 'managers', calls: 1 }] } }]));
  slow.end('Host: a\r\n\r\n');
  await stopped;
});
