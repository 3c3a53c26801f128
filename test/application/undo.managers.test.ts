import { LogCorrupt, previewUndo } from '@rollcall/application';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import {
  company,
  dataOf,
  done,
  recorded,
  request,
  roles,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { preview, undo, undoDeps, undone } from './undo.support.js';

async function replace(on: Company, list: unknown): Promise<string> {
  const call = request('managers', list);
  done(await on.engine().accept(call));
  return call.context.operationId;
}

const hierarchical = { divisionDimensions: ['Area'], hierarchyEnabled: true };

/** Roles, locked users, names and hierarchy. */
async function rolesOf(on: Company) {
  const { roles: all, users, hierarchy } = (await stateOf(on)).managers;
  return {
    roles: [...all.entries()].sort(),
    users: [...users.values()].map(({ number, digest, locked }) => [number, digest, locked]),
    hierarchy: [...hierarchy].sort(),
  };
}

const led = (names: Record<string, string | null> | null, ...ids: readonly number[]) => ({
  ...roles(...ids),
  DepartmentHierarchy: names,
});

t.test('roles, locks, names and hierarchy are as before; created users stay, locked', async (t) => {
  const on = await company(t, hierarchical);
  await replace(on, led({ North: 'World', South: 'World' }, 1, 2));
  const before = await rolesOf(on);
  const [one] = roles(1).ManagerRoles;
  const operation = await replace(on, {
    ManagerRoles: [{ ...one, LastName: 'Other', PrimaryContact: true }, ...roles(3).ManagerRoles],
    DepartmentHierarchy: { North: 'South' },
  });
  const shown = await preview(on, operation);
  t.match(shown, { importKind: 'managers', counts: { inserted: 1, updated: 1, removed: 1 } });
  t.same(shown.kind === 'preview' && shown.changes, {
    ...{ rolesEnabled: 1, rolesDisabled: 1, rolesChanged: 1 },
    ...{ usersLocked: 1, usersUnlocked: 1, usersRenamed: 1, parentsChanged: 2 },
  });
  t.match(shown, {
    returning: { count: 1, named: exactly([{ id: 'role 2:2', name: 'Unit D2 nr 2' }]) },
    changed: { count: 1, named: exactly([{ id: 'user 3', name: 'nr 3' }]) },
    removed: { count: 1, named: exactly([{ id: 'role 6:3', name: 'Unit D3 nr 3' }]) },
  });
  t.same(undone(await undo(on, operation)).counts, [1, 1, 1]);
  const { users, ...now } = await rolesOf(on);
  t.same(now, { roles: before.roles, hierarchy: before.hierarchy });
  t.same(users.slice(0, 2), before.users);
  t.same(
    users.slice(2).map(([number, , locked]) => [number, locked]),
    [[3, true]],
  );
  t.match(dataOf((await recorded(on.log, stream)).at(-1)), {
    usersRenamed: exactly([{ number: 1, values: { FirstName: one?.FirstName, LastName: one?.LastName } }]),
  });
  t.same(undone(await undo(on, operation)).counts, [0, 0, 0]);
  const again = await preview(on, operation);
  t.ok(again.kind === 'preview' && Object.values(again.changes).every((count) => count === 0));
});

t.test('a parent that the import has added is taken away, and counted', async (t) => {
  const on = await company(t, hierarchical);
  await replace(on, led({ North: 'World' }, 1));
  const operation = await replace(on, led({ North: 'World', South: 'World' }, 1));
  t.match(await preview(on, operation), { changes: { parentsChanged: 1 } });
  undone(await undo(on, operation));
  t.equal((await rolesOf(on)).hierarchy.length, 1);
});

t.test('a user whom a later import has renamed is named', async (t) => {
  const on = await company(t);
  const [one] = roles(1).ManagerRoles;
  const renamed = (LastName: string) => replace(on, { ManagerRoles: [{ ...one, LastName }] });
  await renamed('Example');
  const operation = await renamed('Other');
  await renamed('Third');
  const named = exactly([{ id: 'user 1', name: /^nr 1$/ }]);
  t.match(await undo(on, operation), { rejection: { reason: 'changed-later', later: { count: 1, named } } });
});

t.test('a name is as right before the import, not as first written', async (t) => {
  const on = await company(t);
  const [one] = roles(1).ManagerRoles;
  const renamed = (LastName: string) => replace(on, { ManagerRoles: [{ ...one, LastName }] });
  await renamed('First');
  await renamed('Second');
  undone(await undo(on, await renamed('Third')));
  t.match(dataOf((await recorded(on.log, stream)).at(-1)), {
    usersRenamed: exactly([{ number: 1, values: { LastName: 'Second' } }]),
  });
});

t.test('names that the log has lost are not made up', async (t) => {
  const on = await company(t);
  await replace(on, roles(1));
  const [one] = roles(1).ManagerRoles;
  const operationId = await replace(on, { ManagerRoles: [{ ...one, LastName: 'Other' }] });
  const log: Company['log'] = {
    ...on.log,
    readStream: (name, options) =>
      on.log.readStream(options?.backwards === true && options.from === 1 ? 'company-none' : name, options),
  };
  const command = { companyId: 7, operationId, force: false, revision: undefined };
  await t.rejects(previewUndo(undoDeps({ ...on, log }), command), LogCorrupt);
});

t.test('what a later import has touched is named, and a circle is never made', async (t) => {
  const on = await company(t, hierarchical);
  await replace(on, led({ North: 'South' }, 1, 2));
  const operation = await replace(on, led({ North: null }, 3));
  const [three] = roles(3).ManagerRoles;
  await replace(on, {
    ManagerRoles: [{ ...three, PrimaryContact: true }],
    DepartmentHierarchy: { South: 'North' },
  });
  const refused = await undo(on, operation);
  t.match(refused, { kind: 'refused', rejection: { reason: 'changed-later', later: { count: 2 } } });
  t.match(refused, {
    rejection: { later: { named: exactly([{ name: /^Unit D3 nr 3$/ }, { name: /^Area North$/ }]) } },
  });
  t.same(undone(await undo(on, operation, { force: true })).counts, [2, 0, 0]);
  t.same((await rolesOf(on)).hierarchy.length, 1);
});
