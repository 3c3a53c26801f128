import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { configureCompany, systemClock, newId } from '@rollcall/application';

import t, { type Test } from 'tap';
import { employeesBody, generatedEmployees } from '../generators/employees.js';
import { companyId, startTestApp, type TestApp, testContext } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';

const path = `/v1.0/Company/${companyId}/Employee`;
const sample = readFileSync(new URL('../../samples/employees.json', import.meta.url));

interface Row {
  readonly Id: number;
  readonly EmployeeID: string;
  readonly [name: string]: unknown;
}

async function put(
  app: TestApp,
  body: unknown,
  query = '',
): Promise<{ status: number; json: Record<string, unknown> }> {
  const { status, json } = await app.call('PUT', path + query, { body });
  return { status, json: json as Record<string, unknown> };
}

const counts = ({ json }: { json: Record<string, unknown> }): unknown[] => [
  json['Inserted'],
  json['Updated'],
  json['Removed'],
];

async function rows(app: TestApp): Promise<Row[]> {
  await app.projected();
  return (await app.call('GET', path)).json as Row[];
}

t.test('the published sample: sent, sent again, read', async (t) => {
  const app = await startTestApp(t);
  const first = await put(app, sample);
  t.equal(first.status, 200);
  t.same(first.json, {
    ApiOperationId: first.json['ApiOperationId'],
    Inserted: 3,
    Updated: 0,
    Removed: 0,
    WasQueued: false,
    IgnoredFields: null,
  });
  t.match(
    first.json['ApiOperationId'],
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  t.same(counts(await put(app, sample)), [0, 0, 0]);
  const [astrid, olafur, misaki] = await rows(app);
  t.match(astrid, { Id: 1, Fullname: 'Astrid Holm', ContactNumber: '+4523232323', CompanyId: companyId });
  t.same(astrid?.['Dimensions'], {
    Location: 'Aarhus',
    Division: 'North',
    Department: '2551',
    Role: '1',
    ImmediateManager: 'Jens Jensen',
  });
  t.match(olafur, { EmployeeID: 'A-2', InvitationDate: '2026-12-01T07:30:00Z', Birthday: '1980-02-29' });
  t.match(misaki, { Fullname: '美咲 田中', SourcedFromExternalSystem: true, Locked: false });
  t.notOk(Object.hasOwn(misaki ?? {}, 'Phonenumber'), 'what was not sent is absent');
});

t.test('a company of 5,000 with every script, values at each limit and gaps', async (t) => {
  const app = await startTestApp(t, { settings: { queueThreshold: null } });
  const sent = generatedEmployees(5000);
  t.same(counts(await put(app, employeesBody(5000))), [5000, 0, 0]);
  t.same(
    counts(await put(app, employeesBody(5000, { shuffled: true }))),
    [0, 0, 0],
    'another order and spacing',
  );
  const stored = await rows(app);
  t.same(
    stored.map(({ EmployeeID }) => EmployeeID),
    sent.map(({ EmployeeID }) => EmployeeID),
  );
  const byId = new Map(stored.map((row) => [row.EmployeeID, row]));
  const wrong = sent.filter((employee) => !isShown(employee, byId.get(employee.EmployeeID)));
  t.same(wrong, [], 'every row shows what was sent');
  t.same(counts(await put(app, stored)), [0, 0, 0], 'a PUT of what GET gave changes nothing');
  t.same(counts(await put(app, employeesBody(5000, { onePercentChanged: true }))), [0, 50, 0]);
  t.same(counts(await put(app, sent.slice(10))), [0, 50, 10]);
  t.same((await rows(app)).length, 4990);
  t.same(counts(await put(app, sent)), [10, 0, 0]);
  const numbers = (await rows(app)).map(({ Id }) => Id);
  t.equal(new Set(numbers).size, 5000);
  t.equal(Math.max(...numbers), 5010, 'who comes back has a new number');
});

/** Whether a row has every field as it was sent, and no field that was not. */
function isShown(employee: object, row: Row | undefined): boolean {
  if (!row) return false;
  return Object.entries(employee).every(([name, value]: [string, unknown]) => {
    if (value === null) return !Object.hasOwn(row, name) || name === 'Dimensions';
    if (name !== 'Dimensions') return row[name] === value;
    const shown = row['Dimensions'] as Record<string, string>;
    return Object.entries(value as object).every(([key, text]) => text === null || shown[key] === text);
  });
}

t.test('a refused list changes nothing, says everything at once, and has its row', async (t) => {
  const app = await startTestApp(t);
  await put(app, sample);
  const before = await rows(app);
  const bad = [{ EmployeeID: 'A-17', Firstname: 'Ada', Phonenumber: '123' }, 5];
  const { status, json } = await put(app, bad);
  t.equal(status, 400);
  t.same(json['ValidationErrors'], [
    "[0] EmployeeID 'A-17': Lastname is required",
    "[0] EmployeeID 'A-17': Phonenumber must match ^\\+[0-9]{6,20}$",
    "[0] EmployeeID 'A-17': Email is required",
    "[0] EmployeeID 'A-17': EmploymentStatus is required",
    '[1]: must be an object',
  ]);
  t.same(await rows(app), before);
  const id = String(json['ApiOperationId']);
  const [row] = (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls?ApiOperationId=${id}`))
    .json as Row[];
  t.match(row, { HttpStatusCode: 400, ValidationErrors: json['ValidationErrors'], Method: `PUT ${path}` });
});

t.test('a rehearsal tells what would happen and writes nothing', async (t) => {
  const app = await startTestApp(t, { settings: { batchLimit: 25 } });
  const many = generatedEmployees(120);
  await put(app, many);
  await app.projected();
  const events = await app.eventCount();
  const [first, second, ...others] = many;
  const next = [
    ...others.map((each) => ({ ...each, Valid: true })),
    { ...second, JobTitle: 'Changed' },
    { ...first, EmployeeID: 'new' },
  ];
  const { status, json } = await put(app, next, '?DRYRUN=true');
  t.equal(status, 200);
  const { Invitations } = json as { readonly Invitations: Record<string, unknown> };
  t.match(Invitations, { FirstDueAt: /Z$/, LastDueAt: Invitations['FirstDueAt'] });
  t.same(json, {
    DryRun: true,
    Inserted: 1,
    Updated: 1,
    Removed: 1,
    WasQueued: false,
    Changes: { Inserted: ['new'], Updated: [second?.EmployeeID], Removed: [first?.EmployeeID] },
    BatchLimit: { Limit: 25, Present: 120, Exceeded: false, OverLimit: 'refuse' },
    IgnoredFields: { Valid: 118 },
    PendingImports: 0,
    Invitations: { ...Invitations, Count: 1 },
    LikelyRenames: { Count: 1, Renames: [{ From: first?.EmployeeID, To: 'new', By: 'Email' }] },
    PreviewId: json['PreviewId'],
    Revision: 1,
    ExpiresOn: json['ExpiresOn'],
  });
  t.match((await put(app, [], '?dryRun=true')).json, { Removed: 120, BatchLimit: { Exceeded: true } });
  t.equal((await put(app, [{}], '?dryRun=true')).status, 400);
  t.equal((await put(app, next, '?dryRun=true&extra=1')).status, 400);
  t.equal(await app.eventCount(), events, 'no event of any kind');
  const refused = await put(app, []);
  t.equal(refused.status, 400, 'the real call is refused');
  t.match(
    refused.json['ValidationErrors'],
    exactly([/of 120 employees present, 0 would be inserted and 120 removed; at most 25 %/]),
  );
  t.same(counts(await put(app, next)), [1, 1, 1]);
});

t.test('integration that is not enabled is refused before the list is looked at', async (t) => {
  const app = await startTestApp(t, { settings: { integrationEnabled: false } });
  t.same((await put(app, '{')).json['ValidationErrors'], ['Company integration is not allowed']);
  const deps = { log: app.adapters.log, clock: systemClock, newId };
  await configureCompany(deps, testContext(companyId), { companyId, changes: { integrationEnabled: true } });
  t.equal((await put(app, sample)).status, 200, 'a change of the settings counts at once');
});

t.test('packed by gzip, and large enough for the thread of large bodies', async (t) => {
  const app = await startTestApp(t, { settings: { queueThreshold: null } });
  const body = gzipSync(employeesBody(3000));
  const answer = await app.call('PUT', path, { body, headers: { 'content-encoding': 'gzip' } });
  t.match(answer.json, { Inserted: 3000 });
  t.same(
    counts(await put(app, generatedEmployees(3))),
    [0, 0, 2997],
    'the thread of small bodies sees what the other did',
  );
  t.same(counts(await put(app, employeesBody(3000))), [2997, 0, 0]);
});

t.test('calls at the same time come to one order', async (t) => {
  const app = await startTestApp(t);
  const lists = Array.from({ length: 12 }, (_, i) => generatedEmployees(40).slice(i, i + 20));
  const answers = await Promise.all(lists.map((list) => put(app, list)));
  t.same(
    answers.map(({ status }) => status),
    lists.map(() => 200),
  );
  await checkHistory(
    t,
    app,
    answers.map(({ json }) => json),
  );
});

/** The counts of all answers add up to who is present: no call was lost and none counted twice. */
async function checkHistory(t: Test, app: TestApp, answers: Record<string, unknown>[]): Promise<void> {
  const sum = (name: string): number => answers.reduce((total, answer) => total + Number(answer[name]), 0);
  const present = await rows(app);
  t.equal(sum('Inserted') - sum('Removed'), present.length);
  const calls = (await app.call('GET', `/v1.0/Company/${companyId}/ApiCalls`)).json as Row[];
  t.same(
    new Set(calls.map((call) => call['ApiOperationId'])),
    new Set(answers.map((answer) => answer['ApiOperationId'])),
  );
}
