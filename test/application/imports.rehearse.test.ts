import { previewRows, ReadModelsUnavailable } from '@rollcall/application';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { company, people, queue, request, roles } from './imports.support.js';

t.test('a rehearsal of either kind tells how many imports are pending, and writes nothing', async (t) => {
  const { engine, log } = await company(t, { batchLimit: 10 });
  await engine().accept(request('employees', people(1, 2)));
  await engine().accept(request('managers', roles(1, 2)));
  await queue(engine(), 'employees', people(3));
  const before = await log.lastPosition();
  const rehearsed = await engine().accept(request('employees', people(2, 3), { dryRun: true, key: 'k' }));
  t.match(rehearsed, {
    kind: 'dry-run',
    result: {
      DryRun: true,
      Inserted: 1,
      Updated: 0,
      Removed: 1,
      WasQueued: false,
      Changes: { Inserted: exactly(['E-3']), Updated: { length: 0 }, Removed: exactly(['E-1']) },
      PendingImports: 1,
    },
  });
  t.match(await engine().accept(request('managers', { ...roles(2), X: 1 }, { dryRun: true })), {
    kind: 'dry-run',
    result: {
      DryRun: true,
      Created: 0,
      Disabled: 1,
      Locked: 1,
      Unlocked: 0,
      WasQueued: false,
      Changes: { Locked: exactly(['e1@example.com']), Unlocked: { length: 0 } },
      IgnoredFields: { X: 1 },
      PendingImports: 1,
    },
  });
  t.match(await engine().accept(request('managers', {}, { dryRun: true })), {
    kind: 'refused',
    errors: exactly(['ManagerRoles is required']),
    written: undefined,
  });
  t.equal(await log.lastPosition(), before);
});

t.test('a rehearsal names nobody by rows that are missing or older than the set', async (t) => {
  const place = await company(t);
  await place.engine().accept(request('employees', people(1)));
  await place.engine().accept(request('managers', roles(1)));
  const [person] = people(1);
  const [role] = roles(1).ManagerRoles;
  const asked: unknown[] = [];
  const rehearsals = {
    employees: { body: people(2), stale: { ...person, Email: 'old@example.com' } },
    managers: { body: roles(2), stale: { ...role, LastName: 'Old' } },
  };
  for (const kind of ['employees', 'managers'] as const)
    for (const row of [rehearsals[kind].stale, undefined]) {
      const engine = place.engine({
        findRows: (_kind, _companyId, numbers, revision) => {
          asked.push(revision);
          return Promise.resolve(numbers.map(() => row));
        },
      });
      const rehearsed = engine.accept(request(kind, rehearsals[kind].body, { dryRun: true }));
      await t.rejects(rehearsed, { name: 'ReadModelsUnavailable' });
    }
  t.same(asked, [1, 1, 2, 2], 'rows of the revision that was decided on');
});

t.test('a rehearsal has rows of each kind of change, as many as are asked for', async (t) => {
  const { engine } = await company(t);
  await engine().accept(request('employees', people(1, 2, 3, 4, 5, 6, 7, 8)));
  const changed = people(1, 2, 3, 4, 5).map((one) => ({ ...one, Lastname: 'New' }));
  const list = [...changed, ...people(9, 10, 11, 12)];
  const shown = engine({
    findRows: (_kind, _companyId, numbers) =>
      Promise.resolve(numbers.map((number) => ({ ...people(number)[0] }))),
  });
  const rowsOf = async (details: number): Promise<string[]> => {
    const outcome = await shown.accept(request('employees', list, { dryRun: true, details }));
    if (outcome.kind !== 'dry-run') throw new Error(outcome.kind);
    const rows: string[] = [];
    if (outcome.rows !== undefined)
      for await (const { Change, EmployeeID } of previewRows(outcome.rows))
        rows.push(`${Change} ${EmployeeID}`);
    return rows;
  };
  t.strictSame(await rowsOf(0), []);
  t.strictSame(await rowsOf(2), [
    'Inserted E-9',
    'Inserted E-10',
    'Updated E-1',
    'Updated E-2',
    'Removed E-6',
    'Removed E-7',
  ]);
  t.equal((await rowsOf(Infinity)).length, 12);
});

t.test('EmployeeIDs are renamed by the current rows only', async (t) => {
  const { engine } = await company(t);
  await engine().accept(request('employees', people(1)));
  const stale = people(1).map((one) => ({ ...one, Lastname: 'Old' }));
  const call = request('employees', [{ ...people(1)[0], EmployeeID: 'X-1' }], { keepsRenames: true });
  const findRows = () => Promise.resolve(stale);
  await t.rejects(engine({ findRows }).accept(call), ReadModelsUnavailable);
});

t.test('who leaves is named also by rows with values that are allowed no more', async (t) => {
  const { engine } = await company(t);
  await engine().accept(request('employees', people(1, 2)));
  const dryRun = (id: string) => {
    const row = { ...people(1)[0], EmployeeID: id, Department: 'x'.repeat(500) };
    const shown = engine({ findRows: () => Promise.resolve([row]) });
    return shown.accept(request('employees', people(2, 3), { dryRun: true }));
  };
  const LikelyRenames = { Count: 0 };
  t.match(await dryRun('E-1'), { result: { Changes: { Removed: exactly(['E-1']) }, LikelyRenames } });
  await t.rejects(dryRun('E-2'), ReadModelsUnavailable);
});
