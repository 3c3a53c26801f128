import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { configureCompany, newId, systemClock } from '@rollcall/application';
import { generatedEmployees } from '../generators/employees.js';
import { openBodies } from '../support/open-bodies.js';
import { companyId, startTestApp, testContext, type Answer, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { withMembers } from '../support/with-members.js';
import {
  employees,
  endpoints,
  importSettings as settings,
  managers,
  operationOf,
  put,
  rowOf,
  runQueue,
  type Endpoint,
} from './imports.support.js';

interface Preview {
  readonly PreviewId: string;
  readonly Revision: number | null;
  readonly ExpiresOn: string;
  readonly LikelyRenames: { readonly Count: number; readonly Renames: readonly object[] };
  readonly Details?: readonly { readonly Change: string; readonly Fields: object }[];
}

async function preview(app: TestApp, endpoint: Endpoint, body: unknown, query = ''): Promise<Preview> {
  await app.projected();
  const answer = await put(app, endpoint, body, { query: `?dryRun=true${query}` });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Preview;
}

const apply = (
  app: TestApp,
  endpoint: Endpoint,
  body: unknown,
  { PreviewId, ...headers }: { readonly PreviewId: string; readonly prefer?: string },
): Promise<Answer> => put(app, endpoint, body, { headers: { 'if-preview': PreviewId, ...headers } });

const idOf = ({ PreviewId }: Preview) => ({ PreviewId });

const message = ({ text }: Answer): string => text;

async function start(t: Test): Promise<TestApp> {
  const app = await startTestApp(t, { settings });
  for (const endpoint of endpoints) await put(app, endpoint, endpoint.body(2));
  return app;
}

for (const endpoint of endpoints)
  t.test(endpoint.kind, async (t) => {
    t.test('what was shown is carried out, once', async (t) => {
      const app = await start(t);
      const [body, events] = [endpoint.body(3, 'x'), await app.eventCount()];
      const shown = await preview(app, endpoint, body);
      t.equal(await app.eventCount(), events, 'nothing is written');
      const left = Date.parse(shown.ExpiresOn) - Date.now();
      t.ok(left >= 23.9 * 3_600_000 && left <= 25 * 3_600_000);
      t.equal((await apply(app, endpoint, body, idOf(shown))).status, 200);
      const again = await apply(app, endpoint, body, idOf(shown));
      t.equal(again.status, 412);
      t.match(message(again), /the set has changed since the dry run/);
      t.match(again.headers.get('etag'), /^"\d+"$/);
    });

    t.test('another body, changed and foreign ids', async (t) => {
      const app = await start(t);
      const body = endpoint.body(3, 'x');
      const shown = await preview(app, endpoint, body);
      const other = await apply(app, endpoint, endpoint.body(4, 'x'), idOf(shown));
      t.equal(other.status, 412);
      t.match(message(other), /the body is another one/);
      const [first, second] = endpoints;
      const elsewhere = endpoint === first ? second : first;
      for (const [id, why] of [
        [`${shown.PreviewId.slice(0, -2)}AA`, /or was changed/],
        [`x${shown.PreviewId}`, /or was changed/],
        [
          elsewhere ? (await preview(app, elsewhere, elsewhere.body(3))).PreviewId : '',
          /another company or import/,
        ],
        ['no preview', /must be the PreviewId/],
      ] as const) {
        const answer = await apply(app, endpoint, body, { PreviewId: id });
        t.equal(answer.status, 400);
        t.match(message(answer), why);
      }
    });

    t.test('of many callers exactly one succeeds', async (t) => {
      const app = await start(t);
      const bodies = Array.from({ length: 8 }, (_, at) => endpoint.body(3 + at, 'x'));
      const shown = await Promise.all(bodies.map((body) => preview(app, endpoint, body)));
      const answers = await Promise.all(
        bodies.map((body, at) => apply(app, endpoint, body, { PreviewId: shown[at]?.PreviewId ?? '' })),
      );
      t.same(answers.map(({ status }) => status).sort(), [200, ...Array<number>(7).fill(412)]);
    });

    t.test('a queued import is checked again when it runs', async (t) => {
      const app = await start(t);
      const body = endpoint.body(3, 'x');
      const shown = await preview(app, endpoint, body);
      const queued = { PreviewId: shown.PreviewId, prefer: 'respond-async' };
      const first = operationOf(await apply(app, endpoint, body, queued));
      const second = operationOf(await apply(app, endpoint, body, queued));
      await runQueue(app);
      t.match(await rowOf(t, app, first), { HttpStatusCode: 200 });
      t.match(await rowOf(t, app, second), { HttpStatusCode: 412, Result: /set was at revision/ });
    });
  });

const withHierarchy = { ...managers.body(3, 'x'), DepartmentHierarchy: { A: 'B' } };

async function enableHierarchy({ adapters: { log } }: TestApp): Promise<void> {
  const deps = { log, clock: systemClock, newId };
  await configureCompany(deps, testContext(companyId), { companyId, changes: { hierarchyEnabled: true } });
}

t.test('settings that make another change of the same body', async (t) => {
  const app = await start(t);
  const body = withHierarchy;
  const shown = await preview(app, managers, body);
  await enableHierarchy(app);
  const answer = await apply(app, managers, body, idOf(shown));
  t.equal(answer.status, 412);
  t.match(message(answer), /comes to another change/);
});

t.test('likely renames, and the whole difference as JSON and CSV', async (t) => {
  const app = await startTestApp(t, { settings });
  const [first, second, ...others] = generatedEmployees(3);
  if (!first || !second) throw new Error('there are three');
  await put(app, employees, [first, second, ...others]);
  const next = [
    { ...first, EmployeeID: 'N-1' },
    { ...second, JobTitle: '=1+1, "x"' },
  ];
  const shown = await preview(app, employees, next, '&Details=true');
  t.same(shown.LikelyRenames, {
    Count: 1,
    Renames: [{ From: first.EmployeeID, To: 'N-1', By: 'Email' }],
  });
  t.same(
    shown.Details?.map(({ Change }) => Change),
    ['Inserted', 'Updated', 'Removed', 'Removed'],
  );
  t.match(shown.Details?.[1], {
    Id: 2,
    EmployeeID: second.EmployeeID,
    Fields: { JobTitle: { Old: second.JobTitle, New: '=1+1, "x"' } },
  });
  t.same(Object.keys(shown.Details?.[1]?.Fields ?? {}), ['JobTitle']);
  const url = `${app.url}${employees.path}?dryRun=true&Details=true`;
  const csv = await fetch(url, {
    method: 'PUT',
    headers: {
      accept: 'text/csv',
      authorization: `Bearer ${app.token()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(next),
  });
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  t.equal(csv.headers.get('preview-id'), shown.PreviewId);
  const lines = (await csv.text()).split('\r\n');
  t.equal(lines[0], 'Change,Id,EmployeeID,Field,Old,New');
  t.ok(lines.some((line) => line.startsWith('Updated,2,') && line.endsWith(`,"'=1+1, ""x"""`)));
  t.equal(
    (await put(app, employees, next, { query: '?Details=true' })).status,
    200,
    'without dryRun: for nothing',
  );
});

t.test(
  'a caller who leaves before the answer leaves no file open',
  { skip: process.platform !== 'linux' },
  async (t) => {
    let left: (() => Promise<void>) | undefined;
    const app = await startTestApp(t, {
      settings,
      shape: 'one',
      wrap: ({ log, readModels }) => ({
        readModels,
        log: withMembers(log, {
          readStream: async function* (...given) {
            await left?.();
            yield* log.readStream(...given);
          },
        }),
      }),
    });
    await put(app, employees, generatedEmployees(2));
    await app.projected();
    const body = JSON.stringify(generatedEmployees(3));
    const head = [
      `PUT ${employees.path}?dryRun=true&Details=true HTTP/1.1`,
      ...['Host: localhost', 'Content-Type: application/json', `Authorization: Bearer ${app.token()}`],
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    for (const accept of ['application/json', 'text/csv']) {
      const socket = connect({ port: app.port, host: '127.0.0.1' });
      const gone = once(socket, 'close');
      await new Promise<void>((resolve) => {
        left = async () => {
          left = undefined;
          socket.destroy();
          await gone;
          await app.call('GET', '/health/live');
          resolve();
        };
        socket.write(`${[...head, `Accept: ${accept}`].join('\r\n')}\r\n\r\n${body}`);
      });
      t.ok((await preview(app, employees, JSON.parse(body), '&Details=true')).Details, 'which ends after it');
      await until('its file is closed', async () => (await openBodies()) === 0);
    }
  },
);

t.test('the difference of managers', async (t) => {
  const app = await startTestApp(t, { settings });
  const role = (LastName: string, Email: string, DepartmentName = 'A'): object => ({
    ...{ DimensionName: 'Department', DepartmentName, FirstName: 'Ann', LastName, Email },
  });
  await put(app, managers, {
    ManagerRoles: [role('One', 'one@example.com'), role('Two', 'two@example.com')],
  });
  const next = { ManagerRoles: [role('One', 'new@example.com'), role('Zwei', 'two@example.com', 'B')] };
  const shown = await preview(app, managers, next, '&Details=true');
  t.same(shown.LikelyRenames.Renames, [{ From: 'one@example.com', To: 'new@example.com', By: 'Name' }]);
  t.same(
    shown.Details?.map(({ Change }) => Change),
    [
      'UserCreated',
      'UserRenamed',
      'UserLocked',
      'DepartmentCreated',
      'RoleEnabled',
      'RoleEnabled',
      'RoleDisabled',
      'RoleDisabled',
    ],
  );
  t.match(shown.Details?.[1], {
    Email: 'two@example.com',
    Fields: { LastName: { Old: 'Two', New: 'Zwei' } },
  });
});

t.test('settings that make another change of a queued body', async (t) => {
  const app = await start(t);
  const { PreviewId } = await preview(app, managers, withHierarchy);
  const queued = await apply(app, managers, withHierarchy, { PreviewId, prefer: 'respond-async' });
  t.equal(queued.status, 202);
  await enableHierarchy(app);
  await runQueue(app);
  const row = await rowOf(t, app, operationOf(queued));
  t.match(row, { HttpStatusCode: 412, Result: /comes to another change/ });
});
