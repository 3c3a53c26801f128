import t from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { employees, operationOf, put, rowOf, runQueue } from './imports.support.js';
import { exactly } from '../support/exactly.js';

const keep = { query: '?Renames=keep' };

async function idsOf(app: TestApp): Promise<readonly (readonly [number, string])[]> {
  await app.projected();
  const rows = (await app.call('GET', employees.path)).json as { Id: number; EmployeeID: string }[];
  return rows.map(({ Id, EmployeeID }) => [Id, EmployeeID]);
}

const [first, second, ...others] = generatedEmployees(5);
if (!first || !second) throw new Error('there are five');
const renamed = [{ ...first, EmployeeID: 'N-1' }, { ...second, EmployeeID: 'N-2' }, ...others];

t.test('kept under the number, with the invitation, counted as updated', async (t) => {
  const app = await startTestApp(t);
  await put(app, employees, [first, second, ...others]);
  const before = await idsOf(app);
  const dry = await put(app, employees, renamed, { query: '?dryRun=true&Renames=keep&Details=true' });
  t.match(dry.json, {
    ...{ Inserted: 0, Updated: 2, Removed: 0 },
    Changes: { Updated: exactly(['N-1', 'N-2']) },
    Invitations: { Count: 0 },
    LikelyRenames: { Count: 0 },
    Details: exactly([
      { Change: 'Renamed', Id: 1, Fields: { EmployeeID: { Old: first.EmployeeID, New: 'N-1' } } },
      { Change: 'Renamed', Id: 2 },
    ]),
  });
  const { PreviewId } = dry.json as { PreviewId: string };
  const headers = { 'if-preview': PreviewId };
  t.equal((await put(app, employees, renamed, { headers })).status, 412, 'another change without Renames');
  t.match((await put(app, employees, renamed, { ...keep, headers })).json, {
    Inserted: 0,
    Updated: 2,
    Removed: 0,
  });
  t.same(
    await idsOf(app),
    before.map(([id, name]) => [id, id === 1 ? 'N-1' : id === 2 ? 'N-2' : name]),
  );
  const found = await app.call('GET', `${employees.path}?EmployeeID=N-2`);
  t.match(found.json, exactly([{ Id: 2, ExternalId: 'N-2' }]));
  const invitations = await app.call('GET', `/v1.0/Company/${companyId}/Invitations`);
  t.match(invitations.json, { length: 5 }, 'nobody is invited again');
  t.match((await put(app, employees, renamed, keep)).json, { Inserted: 0, Updated: 0, Removed: 0 });
});

t.test('an api that has not seen the newest change of somebody who is renamed', async (t) => {
  const one = await startTestApp(t);
  const other = await startTestApp(t, { beside: one });
  await put(one, employees, [first, second, ...others]);
  const changed = { ...first, JobTitle: 'Harbour master' };
  t.equal((await put(other, employees, [changed, second, ...others])).status, 200);
  await one.projected();
  const kept = await put(one, employees, [{ ...changed, EmployeeID: 'N-1' }, second, ...others], keep);
  t.match(kept, { status: 200, json: { Inserted: 0, Updated: 1, Removed: 0 } });
});

t.test(
  'without it they are others; any other word is refused, and managers have no such thing',
  async (t) => {
    const app = await startTestApp(t);
    await put(app, employees, [first, second, ...others]);
    t.equal((await put(app, employees, renamed, { query: '?Renames=yes' })).status, 400);
    t.match((await put(app, employees, renamed)).json, { Inserted: 2, Updated: 0, Removed: 2 });
  },
);

t.test('queued, and large enough for an import thread', async (t) => {
  const app = await startTestApp(t);
  const many = generatedEmployees(700);
  await put(app, employees, many);
  await app.projected();
  const next = many.map((each, at) => (at % 2 === 0 ? { ...each, EmployeeID: `N-${at}` } : each));
  const answer = await put(app, employees, next, { ...keep, headers: { prefer: 'respond-async' } });
  t.equal(answer.status, 202);
  await runQueue(app);
  t.match(await rowOf(t, app, operationOf(answer)), {
    HttpStatusCode: 200,
    Inserted: 0,
    Updated: 350,
    Removed: 0,
  });
  t.same(
    (await idsOf(app)).map(([id]) => id),
    many.map((_, at) => at + 1),
  );
  t.match(
    (await put(app, employees, many, keep)).json,
    { Inserted: 0, Updated: 350, Removed: 0 },
    'and back',
  );
});
