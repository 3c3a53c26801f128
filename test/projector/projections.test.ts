import { projections, rebuildInto } from '@rollcall/projector';
import { apiCallRow, type ReadModels } from '@rollcall/application';

import t from 'tap';
import { importManagers } from '../support/manager-imports.js';
import { ModelReadModels } from '../support/model-read-models.js';
import { setConfirmed } from './import-events.support.js';
import { positions, runTwice } from './run-twice.support.js';
import {
  append,
  openRig,
  context,
  configured,
  contents,
  document,
  employee,
  employeeSet,
  projectAll,
  refused,
  survey,
  type Rig,
} from './projector.support.js';
import { orderedRows } from '../support/ordered-rows.js';

const operationId = '019aa2f0-5c00-7000-8000-000000000001';

/** One of everything that has a projection. */
async function history(on: Rig): Promise<void> {
  await append(on, 'company-7', configured(7, 'Example A/S'), { userId: null, username: 'cli:ann@host' });
  await append(on, 'survey-1', [survey(1, 'First'), survey(1, 'Second')]);
  const added = [
    { number: 1, id: 'b' },
    { number: 2, id: 'a' },
    { number: 3, id: 'ñ' },
  ];
  await append(on, 'company-7', employeeSet({ added, total: 3, lastNumber: 3 }), { operationId });
  const second = employeeSet({
    added: [{ number: 4, id: 'b' }],
    changed: [{ number: 2, id: 'a', name: 'Anna' }],
    left: [1],
    total: 3,
    lastNumber: 4,
  });
  await append(on, 'company-7', second);
  await append(on, 'operation-1', refused());
  await managers(on, [['Cranes', 'Ada', true] as const, ['Cranes', 'Bo', false]], { Harbour: 'Coast' });
  await managers(on, [['Cranes', 'Bo', true] as const, ['North', 'Cy', false]], { Coast: 'Harbour' });
  await managers(on, [['North', 'Ada', false]], undefined, 'Other');
}

/** An import of these roles: department, who, whether the primary contact. */
const managers = (
  on: Rig,
  roles: readonly (readonly [department: string, name: string, contact: boolean])[],
  hierarchy?: Readonly<Record<string, string>>,
  lastName = 'Example',
) =>
  importManagers(on, context(), {
    ManagerRoles: roles.map(([DepartmentName, FirstName, PrimaryContact]) => ({
      DimensionName: 'department',
      DepartmentName,
      FirstName,
      LastName: lastName,
      Email: `${FirstName}@Example.com`,
      PrimaryContact,
    })),
    DepartmentHierarchy: hierarchy,
  });

t.test('companies: the settings in force and their revision', async (t) => {
  const on = await openRig(t);
  await append(on, 'company-7', [configured(7, 'Before'), configured(7, 'After')]);
  await append(on, 'company-8', configured(8, 'Other'), { companyId: 8 });
  await projectAll({ ...on, projections });
  t.match(await document(on.readModels, 'companies', [7]), {
    companyId: 7,
    settings: { name: 'After' },
    revision: 1,
  });
  t.match(await document(on.readModels, 'companies', [8]), {
    companyId: 8,
    settings: { name: 'Other' },
    revision: 0,
  });
});

t.test('ApiCalls: an import that was carried out, and one that changed nothing', async (t) => {
  const on = await openRig(t);
  const change = { added: [{ number: 1, id: 'a' }], left: [], total: 1, lastNumber: 1 };
  await append(on, 'company-7', employeeSet(change), { operationId });
  const confirmed = '019aa2f0-5c00-7000-8000-000000000002';
  const person = { userId: null, username: 'cli:ann@host' };
  await append(on, 'company-7', setConfirmed(confirmed), { operationId: confirmed, ...person });
  await projectAll({ ...on, projections });
  const shown = async (id: string): Promise<unknown> =>
    JSON.parse(Buffer.from((await apiCallRow(on.readModels, 7, id)) ?? []).toString());
  t.match(await shown(confirmed), {
    HttpStatusCode: 200,
    UserId: null,
    Username: 'cli:ann@host',
    Inserted: 0,
    Updated: 0,
    Removed: 0,
  });
  t.strictSame(await shown(operationId), {
    ApiOperationId: operationId,
    UserId: 3,
    Username: 'HR system',
    CreatedOn: '2026-11-21T08:59:59.500Z',
    Method: 'PUT /v1.0/Company/7/Employee',
    HttpStatusCode: 200,
    HttpStatusReason: 'OK',
    CompletedOn: '2026-11-21T09:00:00.000Z',
    Inserted: 1,
    Updated: 0,
    Removed: 0,
    Result: null,
    ValidationErrors: [],
    Progress: null,
  });
});

t.test(
  'the ApiCalls row of an event is there behind all the rest, and the head of its stream last',
  async (t) => {
    const on = await openRig(t);
    await history(on);
    let rows = 0;
    for (const largeBytes of [undefined, 0]) {
      const model = new ModelReadModels();
      for (const position of await positions(on)) {
        const collections: string[] = [];
        model.beforeWrite = (write) => Promise.resolve(void collections.push(write.collection));
        await rebuildInto(model, { ...on, projections, largeBytes }, position);
        t.equal(collections.at(-1), 'streams');
        const row = collections.indexOf('api-calls');
        if (row < 0) continue;
        rows += 1;
        t.equal(row, collections.length - 2, collections.join());
      }
    }
    t.equal(rows, 2 * 6);
  },
);

t.test(
  'each event run twice, and interrupted before each of its writes, is the same as run once',
  async (t) => {
    const on = await openRig(t);
    await history(on);
    await runTwice(t, on);
  },
);

t.test('employees are in the order of their numbers: who came back is last', async (t) => {
  const on = await openRig(t);
  await history(on);
  await projectAll({ ...on, projections });
  t.strictSame(await ids(on.readModels), ['a Anna 2', 'ñ Ann 3', 'b Ann 4']);
});

t.test('a changed employee keeps the invitation date of the first day', async (t) => {
  const on = await openRig(t);
  const added = [{ number: 1, id: 'a', due: '2026-11-23T08:00:00Z' }];
  await append(on, 'company-7', employeeSet({ added, total: 1, lastNumber: 1 }));
  await append(
    on,
    'company-7',
    employeeSet({ changed: [{ number: 1, id: 'a', name: 'Anna' }], total: 1, lastNumber: 1 }),
  );
  await projectAll({ ...on, projections });
  t.match(await employee(on.readModels, 7, 1), {
    Firstname: 'Anna',
    InvitationDate: '2026-11-23T08:00:00Z',
  });
});

t.test('one event adds, changes and removes some of each', async (t) => {
  const on = await openRig(t);
  const added = [1, 2, 3, 4].map((number) => ({ number, id: `a${number}` }));
  await append(on, 'company-7', employeeSet({ added, total: 4, lastNumber: 4 }));
  const more = employeeSet({
    added: [5, 6].map((number) => ({ number, id: `b${number}` })),
    changed: [1, 2].map((number) => ({ number, id: `a${number}`, name: 'Anna' })),
    left: [3, 4],
    total: 4,
    lastNumber: 6,
  });
  await append(on, 'company-7', more);
  await projectAll({ ...on, projections });
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.strictSame(await ids(on.readModels), ['a1 Anna 1', 'a2 Anna 2', 'b5 Ann 5', 'b6 Ann 6']);
});

t.test('managers: users, departments, roles and the set', async (t) => {
  const on = await openRig(t);
  await history(on);
  await projectAll({ ...on, projections });
  const all = await contents(on.readModels);
  t.strictSame(
    all.filter((text) => text.startsWith('manager-')),
    [
      'manager-users [7,1] {"Id":1,"FirstName":"Ada","LastName":"Other","Email":"Ada@Example.com","Locked":false}',
      'manager-users [7,2] {"Id":2,"FirstName":"Bo","LastName":"Example","Email":"Bo@Example.com","Locked":true}',
      'manager-users [7,3] {"Id":3,"FirstName":"Cy","LastName":"Example","Email":"Cy@Example.com","Locked":true}',
      'manager-departments [7,1] {"Id":1,"DimensionName":"Department","Name":"Cranes","Type":"department","ParentId":null}',
      'manager-departments [7,2] {"Id":2,"DimensionName":"Division","Name":"Harbour","Type":"division","ParentId":null}',
      'manager-departments [7,3] {"Id":3,"DimensionName":"Division","Name":"Coast","Type":"division","ParentId":2}',
      'manager-departments [7,4] {"Id":4,"DimensionName":"Department","Name":"North","Type":"department","ParentId":null}',
      'manager-roles [7,1,1] {"UserId":1,"PrimaryContact":true,"Enabled":false}',
      'manager-roles [7,1,2] {"UserId":2,"PrimaryContact":true,"Enabled":false}',
      'manager-roles [7,4,1] {"UserId":1,"PrimaryContact":false,"Enabled":true}',
      'manager-roles [7,4,3] {"UserId":3,"PrimaryContact":false,"Enabled":false}',
      'manager-sets [7] {"revision":5,"total":1,"lastUser":3,"lastDepartment":4}',
    ],
  );
});

t.test('managers: a set that is confirmed keeps its revision', async (t) => {
  const on = await openRig(t);
  for (let round = 0; round < 2; round++) await managers(on, [['Cranes', 'Ada', false]]);
  await projectAll({ ...on, projections });
  t.match(await document(on.readModels, 'manager-sets', [7]), { revision: 0 });
});

async function ids(store: ReadModels): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of orderedRows(store, { companyId: 7 }))
    for (const { number, row } of batch) {
      const { EmployeeID, Firstname } = JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>;
      found.push(`${String(EmployeeID)} ${String(Firstname)} ${number}`);
    }
  return found;
}
