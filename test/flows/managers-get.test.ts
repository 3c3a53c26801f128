import { readFile } from 'node:fs/promises';
import { newId, ReadModelsUnavailable, systemClock } from '@rollcall/application';

import { Managers } from '@rollcall/contracts';
import t from 'tap';
import { Compile } from 'typebox/compile';
import { exactly } from '../support/exactly.js';
import { importManagers } from '../support/manager-imports.js';
import { companyId, otherCompanyId, startTestApp, testContext, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';

const path = `/v1.0/Company/${companyId}/Managers`;

const role = (department: string, name: string, more: object = {}) => ({
  DimensionName: 'Department',
  DepartmentName: department,
  FirstName: name,
  LastName: 'Example',
  Email: `${name.toLowerCase()}@example.com`,
  ...more,
});

async function imported(app: TestApp, body: object, company = companyId): Promise<void> {
  const deps = { log: app.adapters.log, clock: systemClock };
  await importManagers(deps, { ...testContext(company), operationId: newId() }, body);
  await app.projected();
}

t.test('a company without managers', async (t) => {
  const app = await startTestApp(t);
  const answer = await app.call('GET', path);
  t.equal(answer.status, 200);
  t.same(answer.json, { Users: [], Roles: [], Departments: [] });
  t.equal(answer.headers.get('etag'), null);
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
});

t.test('the published sample', async (t) => {
  const app = await startTestApp(t);
  const sample = new URL('../../samples/manager-import.json', import.meta.url);
  await imported(app, JSON.parse(await readFile(sample, 'utf8')) as object);
  t.same((await app.call('GET', path)).json, {
    Users: [
      { Id: 1, FirstName: 'Jens', LastName: 'Jensen', Email: 'jens.jensen@example.com', Locked: false },
      { Id: 2, FirstName: 'Mette', LastName: 'Lund', Email: 'mette.lund@example.com', Locked: false },
    ],
    Roles: [
      { UserId: 1, DimensionName: 'Division', DepartmentName: 'North', PrimaryContact: true, Enabled: true },
      {
        UserId: 2,
        DimensionName: 'Department',
        DepartmentName: '2551',
        PrimaryContact: false,
        Enabled: true,
      },
    ],
    Departments: [
      { Id: 1, DimensionName: 'Division', Name: 'North', Parent: 'Scandinavia' },
      { Id: 2, DimensionName: 'Department', Name: '2551', Parent: null },
      { Id: 3, DimensionName: 'Division', Name: 'Scandinavia', Parent: null },
    ],
  });
});

t.test(
  'who left stays, locked and disabled; who came back is active; names follow, addresses stay',
  async (t) => {
    const app = await startTestApp(t);
    await imported(app, {
      ManagerRoles: [role('Cranes', 'Ada', { PrimaryContact: true }), role('Cranes', 'Bo')],
      DepartmentHierarchy: { Harbour: 'Coast', Coast: null },
    });
    const before = await app.call('GET', path);
    await imported(app, {
      ManagerRoles: [role('CRANES', 'Bo', { FirstName: 'Bodil', Email: 'BO@example.com' })],
      DepartmentHierarchy: { Coast: 'Harbour' },
    });
    const after = await app.call('GET', path);
    t.same(after.json, {
      Users: [
        { Id: 1, FirstName: 'Ada', LastName: 'Example', Email: 'ada@example.com', Locked: true },
        { Id: 2, FirstName: 'Bodil', LastName: 'Example', Email: 'bo@example.com', Locked: false },
      ],
      Roles: [
        {
          UserId: 1,
          DimensionName: 'Department',
          DepartmentName: 'Cranes',
          PrimaryContact: true,
          Enabled: false,
        },
        {
          UserId: 2,
          DimensionName: 'Department',
          DepartmentName: 'Cranes',
          PrimaryContact: false,
          Enabled: true,
        },
      ],
      Departments: [
        { Id: 1, DimensionName: 'Department', Name: 'Cranes', Parent: null },
        { Id: 2, DimensionName: 'Division', Name: 'Harbour', Parent: null },
        { Id: 3, DimensionName: 'Division', Name: 'Coast', Parent: 'Harbour' },
      ],
    });
    t.not(after.headers.get('etag'), before.headers.get('etag'));
    await imported(app, {
      ManagerRoles: [role('Cranes', 'Bo', { FirstName: 'Bodil' }), role('Cranes', 'Ada')],
    });
    t.match((await app.call('GET', path)).json, {
      Users: exactly([{ Locked: false }, { Locked: false }]),
      Roles: exactly([{ PrimaryContact: false, Enabled: true }, { Enabled: true }]),
      Departments: exactly([{ Parent: null }, { Parent: null }, { Parent: 'Harbour' }]),
    });
  },
);

t.test('ETag is the revision of the last event that changed something', async (t) => {
  const app = await startTestApp(t);
  const body = { ManagerRoles: [role('Cranes', 'Ada')] };
  const etag = async () => (await app.call('GET', path)).headers.get('etag');
  await imported(app, body);
  t.equal(await etag(), '"1"');
  await imported(app, body);
  t.equal(await etag(), '"1"', 'confirmed');
  await imported(app, { ManagerRoles: [] });
  t.equal(await etag(), '"3"');
  const head = await app.call('HEAD', path);
  t.equal(head.status, 200);
  t.equal(head.text, '');
  t.equal(head.headers.get('etag'), '"3"');
});

t.test('what PUT brings is what GET shows, and its ETag is what If-Match takes', async (t) => {
  const app = await startTestApp(t, {
    settings: { hierarchyEnabled: true, divisionDimensions: ['Division'] },
  });
  const put = (body: object, etag?: string | null) =>
    app.call('PUT', `/v1.0/User/${companyId}/ManagerImport`, {
      body,
      ...(typeof etag === 'string' ? { headers: { 'if-match': etag } } : {}),
    });
  const first = await put({
    ManagerRoles: [role('Cranes', 'Ada'), role('Cranes', 'Bo', { PrimaryContact: true })],
    DepartmentHierarchy: { Harbour: 'Coast' },
  });
  t.same([first.status, first.json], [200, 'Successfully created 2, disabled 0 roles and locked 0 users.']);
  await app.projected();
  const got = await app.call('GET', path);
  t.match(got.json, {
    Users: exactly([{ Id: 1, FirstName: 'Ada', Locked: false }, { Id: 2 }]),
    Roles: exactly([{ UserId: 1 }, { UserId: 2, PrimaryContact: true, Enabled: true }]),
    Departments: exactly([
      { Name: 'Cranes' },
      { Name: 'Harbour', Parent: 'Coast' },
      { Name: 'Coast', Parent: null },
    ]),
  });
  const etag = got.headers.get('etag');
  const second = await put({ ManagerRoles: [role('Cranes', 'Bo')] }, etag);
  t.same([second.status, second.json], [200, 'Successfully created 0, disabled 1 roles and locked 1 users.']);
  t.equal((await put({ ManagerRoles: [] }, etag)).status, 412);
  await app.projected();
  t.match((await app.call('GET', path)).json, {
    Users: exactly([{ FirstName: 'Ada', Locked: true }, { Locked: false }]),
    Roles: exactly([{ Enabled: false }, { PrimaryContact: false, Enabled: true }]),
    Departments: exactly([{ Parent: null }, { Parent: 'Coast' }, { Parent: null }]),
  });
  const bad = await put({ ManagerRoles: [role('Cranes', 'Ada', { Email: 'x' })] });
  t.same(
    [bad.status, bad.json],
    [400, 'ManagerRoles[0].Email must be a valid e-mail address of at most 254 characters'],
  );
});

t.test('more than fits in one event or one piece', async (t) => {
  const app = await startTestApp(t);
  const roles = Array.from({ length: 6_000 }, (_, at) => role(`Department ${at % 700}`, `Name${at}`));
  await imported(app, { ManagerRoles: roles });
  const answer = (await app.call('GET', path)).json;
  t.ok(Compile(Managers).Check(answer));
  const { Users, Roles, Departments } = answer as Managers;
  t.same([Users.length, Roles.length, Departments.length], [6_000, 6_000, 700]);
  const names = new Map(Users.map(({ Id, FirstName }) => [Id, FirstName]));
  t.same(
    new Set(Roles.map(({ UserId, DepartmentName }) => `${names.get(UserId)} ${DepartmentName}`)),
    new Set(roles.map(({ FirstName, DepartmentName }) => `${FirstName} ${DepartmentName}`)),
  );
});

t.test('only for HRIntegration and the own company', async (t) => {
  const app = await startTestApp(t);
  await imported(app, { ManagerRoles: [role('Cranes', 'Ada')] }, otherCompanyId);
  t.equal((await app.call('GET', path)).headers.get('etag'), null, 'nothing of another company');
  t.equal((await app.call('GET', `/v1.0/Company/${otherCompanyId}/Managers`)).status, 401);
  t.equal(
    (await app.call('GET', path, { token: app.token({ claims: { sub: '2', roles: [] } }) })).status,
    401,
  );
  t.equal((await app.call('GET', path.toUpperCase() + '/')).status, 200);
  t.equal((await app.call('GET', `${path}?Top=1`)).status, 400);
  const other = await app.call('DELETE', path);
  t.equal(other.status, 405);
  t.match(other.headers.get('allow'), /GET/);
});

t.test('a broken projection of the company is 503, and so is a store that is away', async (t) => {
  const broken: string[] = [];
  let isAway = false;
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      log,
      readModels: withMembers(readModels, {
        parkedStreams: () => Promise.resolve(broken.map((stream) => ({ stream, revision: 3, problem: 'x' }))),
        findBatches: (...request) => (isAway ? failing() : readModels.findBatches(...request)),
      }),
    }),
  });
  broken.push('company-8');
  t.equal((await app.call('GET', path)).status, 200);
  broken.push(`company-${companyId}`);
  const answer = await app.call('GET', path);
  t.equal(answer.status, 503);
  t.ok(answer.headers.get('retry-after'));
  broken.length = 0;
  isAway = true;
  t.equal((await app.call('GET', path)).status, 503);
});

async function* failing(): AsyncGenerator<never[]> {
  yield* [];
  throw new ReadModelsUnavailable('away');
}
