import {
  type DepartmentEntry,
  type ManagerRoleEntry,
  type ManagerRolesImported,
  parseStoredType,
  type PreviewRow,
} from '@rollcall/contracts';
import { managers } from '@rollcall/domain';
import { loadEvent } from '../event-store/loaded-event.js';
import { eventAt } from '../event-store/log-reading.js';
import type { ShownRow } from '../ports/imports.js';
import { managerRows } from '../imports/manager-preview.js';
import type { EventReader, RecordedEvent } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import type { Patience } from './entries-back.js';
import type { ImportPlace } from './import-difference.js';

const lists = {
  locked: 'usersLocked',
  unlocked: 'usersUnlocked',
  created: 'usersCreated',
  renamed: 'usersRenamed',
  departments: 'departmentsCreated',
  enabled: 'rolesEnabled',
  changed: 'rolesChanged',
  disabled: 'rolesDisabled',
  parents: 'parentsRemoved',
} as const satisfies Readonly<Record<string, keyof ManagerRolesImported>>;

export type ManagerPart = keyof typeof lists;
export const managerParts = Object.keys(lists) as ManagerPart[];

interface ManagerStores {
  readonly log: EventReader;
  readonly readModels: Pick<ReadModelReader, 'findBatches' | 'getMany'>;
}

export interface ManagerChanges {
  readonly counts: Readonly<Record<ManagerPart, number>>;
  /** Values from before the import were not found in time: rows show none, and parents count as unchanged. */
  readonly isPartial: boolean;
  readonly rows: (part: ManagerPart, skip?: number, limit?: number) => AsyncGenerator<PreviewRow>;
}

/** Addresses are those of the read models: they stay as first written. Undefined where the event changed no managers. */
export async function managerDifference(
  stores: ManagerStores,
  query: ImportPlace & Patience,
): Promise<ManagerChanges | undefined> {
  const { companyId, revision } = query;
  const recorded = await eventAt(stores.log, `company-${companyId}`, revision);
  const data = recorded && (await importedIn(stores.log, recorded));
  if (data === undefined) return undefined;
  const replaced = await replacedBy(stores.log, data, query);
  const event = { ...data, parentsRemoved: movedIn(data, replaced) };
  const departments = await departmentsOf(stores, companyId);
  const { roles, hierarchy } = replaced;
  const before = { ...managers.initialState(), roles, hierarchy, departments };
  const find = usersOf(stores, companyId, replaced);
  const counts = Object.fromEntries(managerParts.map((part) => [part, event[lists[part]].length]));
  return {
    counts: counts as Record<ManagerPart, number>,
    isPartial: replaced.isPartial,
    rows: (part, skip = 0, limit = Infinity) =>
      managerRows({ event: partOf(event, part, skip, skip + limit), before, find }),
  };
}

/** Undefined where it is another event. */
export const importedIn = async (log: EventReader, recorded: RecordedEvent) =>
  parseStoredType(recorded.type)?.name === 'ManagerRolesImported'
    ? loadEvent(log, recorded).data('ManagerRolesImported')
    : undefined;

/** The event with some entries of one list alone. */
function partOf(
  event: ManagerRolesImported,
  part: ManagerPart,
  from: number,
  to: number,
): ManagerRolesImported {
  const none = Object.fromEntries(Object.values(lists).map((name) => [name, []]));
  const own = { ...event, ...none, [lists[part]]: event[lists[part]].slice(from, to) };
  const moved = new Set(own.parentsRemoved);
  return { ...own, hierarchy: event.hierarchy.filter(({ department }) => moved.has(department)) };
}

const roleOf = ({ department, user }: Omit<ManagerRoleEntry, 'primaryContact'>): string =>
  `${department} ${user}`;

/** Reads the company's stream backwards, to the first load at most. */
async function replacedBy(
  log: EventReader,
  event: ManagerRolesImported,
  { companyId, revision, until, now }: ImportPlace & Patience,
): Promise<Replaced> {
  const found = new Replaced(event);
  const options = { from: revision - 1, backwards: true };
  for await (const recorded of log.readStream(`company-${companyId}`, options)) {
    found.isPartial = now() > until;
    if (found.isPartial) break;
    const older = await importedIn(log, recorded);
    if (older !== undefined && found.isAllWith(older)) break;
  }
  return found;
}

/** The values that an event has replaced: it does not say them. */
class Replaced {
  /** By number. */
  readonly names = new Map<number, object>();
  /** By department and user. */
  readonly roles = new Map<string, ManagerRoleEntry>();
  hierarchy: ReadonlyMap<number, number> = new Map();
  isPartial = false;
  readonly #users: Set<number>;
  readonly #roles: Set<string>;
  #isFirst = true;

  constructor({ usersRenamed, rolesChanged, rolesDisabled }: ManagerRolesImported) {
    this.#users = new Set(usersRenamed.map(({ number }) => number));
    this.#roles = new Set([...rolesChanged, ...rolesDisabled].map(roleOf));
  }

  isAllWith(older: ManagerRolesImported): boolean {
    for (const { number, values } of [...older.usersCreated, ...older.usersRenamed])
      if (this.#users.delete(number)) this.names.set(number, values);
    for (const role of [...older.rolesEnabled, ...older.rolesChanged])
      if (this.#roles.delete(roleOf(role))) this.roles.set(roleOf(role), role);
    // Each event has the whole hierarchy.
    if (this.#isFirst) this.hierarchy = hierarchyOf(older);
    this.#isFirst = false;
    return this.#users.size + this.#roles.size === 0;
  }
}

const hierarchyOf = ({ hierarchy }: ManagerRolesImported): Map<number, number> =>
  new Map(hierarchy.map(({ department, parent }) => [department, parent]));

/** Divisions that have another parent, or none any more. */
function movedIn(event: ManagerRolesImported, { hierarchy: before, isPartial }: Replaced): number[] {
  if (isPartial && before.size === 0) return [];
  const after = hierarchyOf(event);
  return [...new Set([...after.keys(), ...before.keys()])].filter(
    (division) => before.get(division) !== after.get(division),
  );
}

async function departmentsOf(
  { readModels }: ManagerStores,
  companyId: number,
): Promise<ReadonlyMap<string, DepartmentEntry>> {
  const departments = new Map<string, DepartmentEntry>();
  for await (const batch of readModels.findBatches('manager-departments', { prefix: [companyId] }))
    for (const { value } of batch) {
      const { Id, DimensionName, Name, Type } = fromJson(value) as StoredDepartment;
      departments.set(String(Id), { number: Id, dimension: DimensionName, name: Name, type: Type });
    }
  return departments;
}

interface StoredDepartment {
  readonly Id: number;
  readonly DimensionName: string;
  readonly Name: string;
  readonly Type: DepartmentEntry['type'];
}

/** With the names from before the import. */
const usersOf =
  ({ readModels }: ManagerStores, companyId: number, { names }: Replaced) =>
  (numbers: readonly number[]): Promise<readonly ShownRow[]> =>
    readModels.getMany(
      'manager-users',
      numbers.map((number) => [companyId, number] as const),
      (value, at) => ({
        Email: (fromJson(value) as ShownRow | undefined)?.['Email'],
        ...names.get(numbers[at] ?? 0),
      }),
    );
