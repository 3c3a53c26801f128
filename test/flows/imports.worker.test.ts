import { configureCompany, systemClock } from '@rollcall/application';
import t from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { exactly } from '../support/exactly.js';
import { followed } from '../support/queued-calls.js';
import { respondAsync } from './imports.support.js';
import {
  companyId,
  shapes,
  startTestApp,
  testContext,
  type Answer,
  type TestApp,
} from '../support/test-app.js';

const path = `/v1.0/Company/${companyId}/Employee`;

const sent = (from: number, to: number): { EmployeeID: string }[] =>
  generatedEmployees(3_000).slice(from, to);

const putEmployees = (app: TestApp, list: readonly object[], options = {}): Promise<Answer> =>
  app.call('PUT', path, { body: list, ...options });

const putManagers = (app: TestApp, roles: readonly object[]): Promise<Answer> =>
  app.call('PUT', `/v1.0/User/${companyId}/ManagerImport`, { body: { ManagerRoles: roles } });

async function present(app: TestApp): Promise<string[]> {
  const rows = (await app.call('GET', path)).json as { EmployeeID: string }[];
  return rows.map(({ EmployeeID }) => EmployeeID);
}

const idsOf = (list: readonly { EmployeeID: string }[]): string[] => list.map(({ EmployeeID }) => EmployeeID);

const role = (index: number) => ({
  DimensionName: 'Department',
  DepartmentName: `Department ${index % 20}`,
  FirstName: 'Ann',
  LastName: 'Example',
  Email: `ann${index}@example.com`,
});

const lives = new Set(['202 Accepted', '202 Processing...', '200 OK']);

for (const shape of shapes)
  t.test(`imports are run by the worker: ${shape}`, { timeout: 300_000 }, async (t) => {
    const settings = { queueThreshold: 1_000, departmentDimensions: ['Department'] };
    const app = await startTestApp(t, { shape, worker: true, settings });

    t.test('a queued list, from 202 to 200', async (t) => {
      const list = sent(0, 1_000);
      const answer = await putEmployees(app, list);
      t.match(answer.json, { Inserted: 0, Updated: 0, Removed: 0, WasQueued: true });
      t.equal(answer.headers.get('retry-after'), '1');
      const { last, reasons } = await followed(app, answer);
      t.ok(
        reasons.every((reason) => lives.has(reason)),
        reasons.join(', '),
      );
      const { ApiOperationId } = answer.json as { ApiOperationId: string };
      t.match(last, {
        ApiOperationId,
        HttpStatusCode: 200,
        HttpStatusReason: 'OK',
        Inserted: 1_000,
        Updated: 0,
        Removed: 0,
        UserId: 1,
      });
      t.same(await present(app), idsOf(list), 'what 200 OK promises can be read');
    });

    t.test('two queued lists, in their order', async (t) => {
      const first = await putEmployees(app, sent(0, 3_000));
      const second = await putEmployees(app, sent(2_990, 3_000), respondAsync);
      const [one, two] = await Promise.all([followed(app, first), followed(app, second)]);
      t.match(one.last, { HttpStatusCode: 200, Inserted: 2_000, Removed: 0 });
      t.match(two.last, { HttpStatusCode: 200, Inserted: 0, Removed: 2_990 });
      t.ok((one.last.CompletedOn ?? '') <= (two.last.CompletedOn ?? ''));
      t.same(await present(app), idsOf(sent(2_990, 3_000)));
      t.equal((await putEmployees(app, sent(0, 3))).status, 200, 'nothing is pending any more');
    });

    t.test('manager roles', async (t) => {
      const answer = await putManagers(
        app,
        Array.from({ length: 200 }, (_, index) => role(index)),
      );
      const { last } = await followed(app, answer);
      t.match(last, {
        HttpStatusCode: 200,
        Inserted: 200,
        Result: 'Successfully created 200, disabled 0 roles and locked 0 users.',
      });
    });

    t.test('what a rule refuses when it runs; the next one goes on', async (t) => {
      const deps = { log: app.adapters.log, clock: systemClock };
      const configure = (changes: object): Promise<unknown> =>
        configureCompany(deps, testContext(companyId), { companyId, changes });
      await putEmployees(app, generatedEmployees(200));
      await configure({ batchLimit: 25 });
      const refused = await putEmployees(app, generatedEmployees(10), respondAsync);
      const next = await putEmployees(app, generatedEmployees(190), respondAsync);
      const { last } = await followed(app, refused);
      t.match(last, {
        HttpStatusCode: 400,
        ValidationErrors: exactly([/of 200 employees present, 0 would be/]),
      });
      t.match((await followed(app, next)).last, { HttpStatusCode: 200, Removed: 10 });
      await configure({ batchLimit: null });
    });

    t.test('the worker looks after every company', async (t) => {
      const other = { token: app.token({ claims: { sub: '3', company: 8 } }) };
      const both = [
        await putEmployees(app, sent(0, 50), respondAsync),
        await app.call('PUT', '/v1.0/Company/8/Employee', { body: sent(0, 60), ...other, ...respondAsync }),
      ] as const;
      t.match((await followed(app, both[0])).last, { HttpStatusCode: 200 });
      t.match((await followed(app, both[1], other)).last, { HttpStatusCode: 200, Inserted: 60 });
    });
  });
