import type { DepartmentEntry, LikelyRenames, ManagerRolesImported, PreviewRow } from '@rollcall/contracts';
import { managers } from '@rollcall/domain';
import { batchesOf } from '../grouped-by.js';
import type { ShownRow } from '../ports/imports.js';
import { differingFields } from './preview-rows.js';

/** E-mail addresses of each kind, and likely renames, that a rehearsal names. */
export const namedUsers = 1000;

/** What an import changes. Addresses and names of known users are in the read models alone. */
export interface ManagerDifference {
  readonly event: ManagerRolesImported;
  readonly before: managers.ManagerRolesState;
  readonly find: (numbers: readonly number[]) => Promise<readonly (ShownRow | undefined)[]>;
}

/** Users who are locked and have the names of one who is created. */
export async function likelyUserRenames({ event, before, find }: ManagerDifference): Promise<LikelyRenames> {
  const created = new Map(event.usersCreated.map((user) => [user.digest, user.values.Email]));
  const digests = managers.namesIn(before);
  const pairs = event.usersLocked.flatMap((number) => {
    const To = created.get(digests.get(number) ?? '');
    return To === undefined ? [] : [{ number, To }];
  });
  const named = pairs.slice(0, namedUsers);
  const rows = await find(named.map(({ number }) => number));
  const renames = named.map(({ To }, at) => ({ From: String(rows[at]?.['Email']), To, By: 'Name' as const }));
  return { Count: pairs.length, Renames: renames };
}

/** The whole difference: users, departments, roles, then parents of divisions. */
export async function* managerRows(difference: ManagerDifference | undefined): AsyncGenerator<PreviewRow> {
  if (!difference) return;
  yield* userRows(difference);
  const departments = departmentsOf(difference);
  for (const { type, dimension, name } of difference.event.departmentsCreated)
    yield {
      Change: 'DepartmentCreated',
      Id: null,
      Email: null,
      Fields: differingFields({}, { Type: type, DimensionName: dimension, DepartmentName: name }),
    };
  yield* roleRows(difference, departments);
  yield* parentRows(difference, departments);
}

async function* userRows(difference: ManagerDifference): AsyncGenerator<PreviewRow> {
  const { event } = difference;
  for (const { values } of event.usersCreated)
    yield {
      Change: 'UserCreated',
      Id: null,
      Email: values.Email,
      Fields: differingFields({}, { ...values }),
    };
  for await (const { entry, row } of withRows(difference, event.usersRenamed, ({ number }) => number)) {
    const { FirstName, LastName } = row ?? {};
    const before = { FirstName: textOf(FirstName), LastName: textOf(LastName) };
    yield {
      ...userOf(entry.number, row),
      Change: 'UserRenamed',
      Fields: differingFields(before, entry.values),
    };
  }
  for (const [Change, numbers, isLocked] of [
    ['UserLocked', event.usersLocked, true],
    ['UserUnlocked', event.usersUnlocked, false],
  ] as const)
    for await (const { entry, row } of withRows(difference, numbers, (number) => number))
      yield {
        ...userOf(entry, row),
        Change,
        Fields: differingFields({ Locked: !isLocked }, { Locked: isLocked }),
      };
}

async function* roleRows(
  difference: ManagerDifference,
  departments: ReadonlyMap<number, DepartmentEntry>,
): AsyncGenerator<PreviewRow> {
  const { event, before } = difference;
  const created = new Map(event.usersCreated.map(({ number, values }) => [number, values.Email]));
  const contacts = new Map(
    [...before.roles.values()].map((role) => [`${role.department} ${role.user}`, role.primaryContact]),
  );
  for (const [Change, roles] of [
    ['RoleEnabled', event.rolesEnabled],
    ['RoleChanged', event.rolesChanged],
    ['RoleDisabled', event.rolesDisabled],
  ] as const)
    for await (const { entry, row } of withRows(difference, [...roles], ({ user }) => user)) {
      const Email = created.get(entry.user);
      const user = Email === undefined ? userOf(entry.user, row) : { Id: null, Email };
      const Old = contacts.get(`${entry.department} ${entry.user}`) ?? null;
      const New = 'primaryContact' in entry ? entry.primaryContact : null;
      const place = placeOf(departments.get(entry.department));
      yield { ...user, Change, Fields: { ...place, PrimaryContact: { Old, New } } };
    }
}

/** The same before and after: where a role is. */
function placeOf(department: DepartmentEntry | undefined): PreviewRow['Fields'] {
  const [dimension, name] = [department?.dimension ?? null, department?.name ?? null];
  return {
    DimensionName: { Old: dimension, New: dimension },
    DepartmentName: { Old: name, New: name },
  };
}

function* parentRows(
  { event, before }: ManagerDifference,
  departments: ReadonlyMap<number, DepartmentEntry>,
): Generator<PreviewRow> {
  const nameOf = (number: number | undefined): string | null =>
    number === undefined ? null : (departments.get(number)?.name ?? null);
  const after = new Map(event.hierarchy.map(({ department, parent }) => [department, parent]));
  for (const number of new Set([...after.keys(), ...event.parentsRemoved])) {
    if (before.hierarchy.get(number) === after.get(number)) continue;
    const parents = { Old: nameOf(before.hierarchy.get(number)), New: nameOf(after.get(number)) };
    const name = nameOf(number);
    yield {
      Change: 'ParentChanged',
      Id: null,
      Email: null,
      Fields: { DepartmentName: { Old: name, New: name }, Parent: parents },
    };
  }
}

const departmentsOf = ({ event, before }: ManagerDifference): ReadonlyMap<number, DepartmentEntry> =>
  new Map([...before.departments.values(), ...event.departmentsCreated].map((each) => [each.number, each]));

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const userOf = (number: number, row: ShownRow | undefined): Pick<PreviewRow, 'Id' | 'Email'> => ({
  Id: number,
  Email: textOf(row?.['Email']),
});

async function* withRows<T>(
  { find }: ManagerDifference,
  entries: readonly T[],
  numberOf: (entry: T) => number,
): AsyncGenerator<{ readonly entry: T; readonly row: ShownRow | undefined }> {
  for (const batch of batchesOf(entries)) {
    const rows = await find(batch.map(numberOf));
    for (const [at, entry] of batch.entries()) yield { entry, row: rows[at] };
  }
}
