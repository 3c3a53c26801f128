import {
  companyAt,
  diffRows,
  logInTime,
  personalFields,
  rowsBetween,
  stateRows,
  TooLong,
  type AuditRow,
  type CompanyAt,
  type DiffRow,
  type Moment,
} from '@rollcall/application';
import { surveyCreatedExample, surveyUpdatedExample, type DomainEventOf } from '@rollcall/contracts';
import fc from 'fast-check';
import tap, { type Test } from 'tap';
import { append, context, openRig, type Rig } from '../projector/projector.support.js';
import { scoped } from '../support/rig.js';
import { appendHistory, histories, type Past, type People } from './audit.support.js';
import { exactly } from '../support/exactly.js';

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

async function at({ log }: Rig, moment: Moment): Promise<CompanyAt> {
  const [state] = await companyAt(log, 7, [moment]);
  if (state === undefined) throw new Error('there is no such state');
  return state;
}

const stateAt = async (rig: Rig, moment: Moment, reveal = true): Promise<AuditRow[]> =>
  all(stateRows(rig.log, await at(rig, moment), { reveal }));

type Employees = Record<string, unknown>;

const employeesOf = (rows: readonly AuditRow[]): Employees =>
  Object.fromEntries(
    rows.flatMap((row) =>
      row.part === 'employees' ? [[row.id, { ...row.open, ...personalFields(row) }]] : [],
    ),
  );

const modelled = (people: People): Employees =>
  Object.fromEntries([...people].map(([number, { digest, values }]) => [number, { digest, ...values }]));

tap.test('the state at each revision and time is what a simple model says', async (t) => {
  const check = async (plans: Parameters<typeof appendHistory>[1]): Promise<void> =>
    scoped(async (scope) => {
      const rig = await openRig(scope);
      const past = await appendHistory(rig, plans);
      for (const [revision, { recordedAt, people }] of past.entries()) {
        t.strictSame(employeesOf(await stateAt(rig, { revision })), modelled(people), `revision ${revision}`);
        const then = past.findLast((each) => each.recordedAt <= recordedAt)?.people ?? people;
        t.strictSame(employeesOf(await stateAt(rig, { at: recordedAt })), modelled(then), recordedAt);
      }
    });
  await fc.assert(fc.asyncProperty(histories, check), { numRuns: 15 });
});

/** A difference applied to the state before it. */
function applied(before: Employees, rows: readonly DiffRow[]): Employees {
  const after = new Map(Object.entries(before));
  for (const { id, change, fields } of rows.filter(({ part }) => part === 'employees')) {
    const values = new Map(Object.entries({ ...(after.get(id) ?? {}) }));
    for (const { field, after: value } of fields)
      if (value === undefined) values.delete(field);
      else values.set(field, value);
    if (change === 'removed') after.delete(id);
    else after.set(id, Object.fromEntries(values));
  }
  return Object.fromEntries(after);
}

tap.test('the difference of two states, applied to the first, gives the second', async (t) => {
  const check = async (plans: Parameters<typeof appendHistory>[1]): Promise<void> =>
    scoped(async (scope) => {
      const rig = await openRig(scope);
      const past: Past[] = await appendHistory(rig, plans);
      for (const from of past.keys())
        for (let to = from; to < past.length; to += 1) {
          const sides = [await at(rig, { revision: from }), await at(rig, { revision: to })] as const;
          const rows = await all(diffRows(rig.log, sides, { reveal: true }));
          const [before, after] = [past[from]?.people ?? new Map(), past[to]?.people ?? new Map()];
          t.strictSame(applied(modelled(before), rows), modelled(after), `${from} to ${to}`);
          t.ok(
            rows.every(({ fields }) => fields.length > 0),
            'nothing that is the same',
          );
        }
    });
  await fc.assert(fc.asyncProperty(histories, check), { numRuns: 10 });
});

const roles = (
  change: Partial<DomainEventOf<'ManagerRolesImported'>['data']>,
): DomainEventOf<'ManagerRolesImported'> => ({
  name: 'ManagerRolesImported',
  data: {
    operationId: context().operationId,
    bodySha256: 'cd'.repeat(32),
    digestVersion: 1,
    ...{ created: 1, disabled: 0, locked: 0, total: 1, lastUser: 1, lastDepartment: 1 },
    ...{ usersCreated: [], usersRenamed: [], usersLocked: [], usersUnlocked: [], departmentsCreated: [] },
    ...{ rolesEnabled: [], rolesChanged: [], rolesDisabled: [], hierarchy: [], parentsRemoved: [] },
    ...change,
  },
});

const digests = { idDigest: 'ab'.repeat(16), digest: 'cd'.repeat(16) };

async function managersAndSurveys(t: Test): Promise<Rig> {
  const rig = await openRig(t);
  await appendHistory(rig, [{ added: ['Jo'], changed: [], left: [], minutes: 0 }]);
  const values = { Email: 'm@example.com', FirstName: 'Max', LastName: 'Doe' };
  await append(
    rig,
    'company-7',
    roles({
      usersCreated: [{ number: 1, ...digests, values }],
      departmentsCreated: [{ number: 1, type: 'division', dimension: 'Area', name: 'North' }],
      rolesEnabled: [{ department: 1, user: 1, primaryContact: true }],
    }),
  );
  const survey = { ...surveyCreatedExample, companyId: 7 };
  await append(rig, `survey-${survey.surveyId}`, { name: 'SurveyCreated', data: survey });
  await append(
    rig,
    'survey-999',
    { name: 'SurveyCreated', data: { ...survey, companyId: 8 } },
    { companyId: 8 },
  );
  rig.clock.at += 60_000;
  const renamed = { number: 1, digest: 'ef'.repeat(16), values: { FirstName: 'Maxine', LastName: 'Doe' } };
  const disabled = [{ department: 1, user: 1 }];
  await append(rig, 'company-7', roles({ usersRenamed: [renamed], rolesDisabled: disabled, total: 0 }));
  const updated = { ...surveyUpdatedExample, companyId: 7 };
  await append(rig, `survey-${survey.surveyId}`, { name: 'SurveyUpdated', data: updated });
  return rig;
}

const found = (rows: readonly AuditRow[], part: string): unknown[] =>
  rows.filter((row) => row.part === part).map((row) => ({ id: row.id, ...row.open, ...personalFields(row) }));

tap.test('settings, managers and surveys of a moment, each with the event that set it', async (t) => {
  const rig = await managersAndSurveys(t);
  const before = await stateAt(rig, { revision: 2 });
  const user = { id: '1', locked: false, Email: 'm@example.com', FirstName: 'Max', LastName: 'Doe' };
  t.strictSame(found(before, 'users'), [user]);
  t.match(
    found(before, 'departments'),
    exactly([{ id: '1', type: 'division', name: 'North', parent: null }]),
  );
  t.match(found(before, 'roles'), exactly([{ id: '1/1', primaryContact: true }]));
  t.match(found(before, 'surveys'), exactly([{ name: surveyCreatedExample.name }]), 'of this company only');
  t.ok(found(before, 'settings').some((setting) => JSON.stringify(setting).includes('Seven')));
  const after = await stateAt(rig, { at: '~' });
  t.match(found(after, 'users'), exactly([{ FirstName: 'Maxine', Email: 'm@example.com' }]));
  t.strictSame(found(after, 'roles'), []);
  t.match(found(after, 'surveys'), exactly([{ name: surveyUpdatedExample.name }]));
  t.match(after.find(({ part }) => part === 'users')?.by, {
    stream: 'company-7',
    revision: 3,
    userId: 3,
    username: 'HR system',
  });
  const rows = await all(diffRows(rig.log, [await at(rig, { revision: 2 }), await at(rig, { at: '~' })]));
  t.match(
    rows.map(({ part, change, fields }) => [part, change, fields.map(({ field }) => field)]),
    exactly([
      ['users', 'changed', ['FirstName']],
      ['roles', 'removed', ['department', 'user', 'primaryContact']],
      ['surveys', 'changed', ['name']],
    ]),
  );
});

tap.test('personal values are masked unless they are asked for', async (t) => {
  const rig = await managersAndSurveys(t);
  const personal = /Jo|Max|example\.com|E\\"1/;
  t.match(JSON.stringify(await stateAt(rig, { at: '~' })), personal);
  t.notMatch(JSON.stringify(await stateAt(rig, { at: '~' }, false)), personal);
  const sides = [await at(rig, { revision: 0 }), await at(rig, { at: '~' })] as const;
  t.match(JSON.stringify(await all(diffRows(rig.log, sides, { reveal: true }))), personal);
  const rows = await all(diffRows(rig.log, sides));
  t.notMatch(JSON.stringify(rows), personal);
  t.match(
    rows.find(({ part }) => part === 'employees')?.fields.slice(0, 2),
    exactly([{ field: 'digest' }, { field: 'EmployeeID', before: undefined, after: '***' }]),
  );
});

tap.test('a difference with more rows, or of more events, than are read in time', async (t) => {
  const rig = await openRig(t);
  const changed = { added: [], changed: [0], left: [], minutes: 1 };
  await appendHistory(rig, [{ ...changed, added: ['Jo', 'Al', 'Bo'], changed: [] }, changed, changed]);
  const sides = [await at(rig, { revision: 0 }), await at(rig, { at: '~' })] as const;
  let reads = 0;
  const log = logInTime(rig.log, { until: 2, now: () => ++reads });
  await t.rejects(rowsBetween(log, sides, 1_000), TooLong);
  t.equal(reads, 3, 'it ends there');
  t.match(await rowsBetween(rig.log, sides, 1), { rows: { length: 1 }, isPartial: true });
  const groups = diffRows(rig.log, sides, { parts: ['employees'], together: 2 });
  const sizes: number[] = [];
  for await (const { length } of groups) sizes.push(length);
  t.strictSame(sizes, [0, 2, 1], 'two people are compared at a time');
});

tap.test('a moment before the company, and a revision that it does not have', async (t) => {
  const rig = await openRig(t);
  await appendHistory(rig, []);
  const moments = [{ at: '2020-01-01T00:00:00.000Z' }, { revision: 0 }, { revision: 1 }];
  const [early, first, late] = await companyAt(rig.log, 7, moments);
  t.strictSame([early, first?.head.revision, late], [undefined, 0, undefined]);
});
