import type { ManagerRolesImported, PortalUserRenamed } from '@rollcall/contracts';
import { digestVersion } from '@rollcall/employee-lists';
import { eventOf } from './decide.js';
import { diffRoles } from './plan.js';
import type { ManagerRolesEvent, ManagerRole, ManagerRolesState, PortalUser } from './evolve.js';

interface RolesPair {
  readonly before: ManagerRolesState;
  readonly after: ManagerRolesState;
}

export interface UndoManagerRoles extends RolesPair {
  readonly operationId: string;
  readonly bodySha256: string;
  readonly force: boolean;
  /** The names before the import, of those whom it has renamed. */
  readonly namesOf: (user: number) => PortalUserRenamed['values'];
}

/** What a later import has touched: roles by `roleKey`, users and divisions by number. */
interface LaterRoles {
  readonly roles: readonly string[];
  readonly users: readonly number[];
  readonly divisions: readonly number[];
}

export type ManagerRolesUndo =
  | { readonly kind: 'refused'; readonly later: LaterRoles }
  | { readonly kind: 'events'; readonly later: LaterRoles; readonly event: ManagerRolesEvent };

/** Keys whose value the import has changed, apart from those that are as before it now. */
interface Difference<K> {
  readonly open: readonly K[];
  readonly later: readonly K[];
}

function difference<K, V>(
  maps: Readonly<Record<'before' | 'after' | 'now', ReadonlyMap<K, V>>>,
  valueOf: (value: V) => string | number | boolean,
): Difference<K> {
  const { before, after, now } = maps;
  const text = (map: ReadonlyMap<K, V>, key: K) => {
    const value = map.get(key);
    return value === undefined ? undefined : valueOf(value);
  };
  const touched = [...new Set([...before.keys(), ...after.keys()])].filter((key) => {
    const old = text(before, key);
    return old !== text(after, key) && old !== text(now, key);
  });
  const isOpen = (key: K): boolean => text(now, key) === text(after, key);
  return { open: touched.filter(isOpen), later: touched.filter((key) => !isOpen(key)) };
}

/** As before, for these keys; others as they are now. */
function restored<K, V>(now: ReadonlyMap<K, V>, before: ReadonlyMap<K, V>, keys: readonly K[]): Map<K, V> {
  const map = new Map(now);
  for (const key of keys) {
    const value = before.get(key);
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }
  return map;
}

/**
 * Roles, names and hierarchy as before the import; a user is locked without a role. Users and departments that it created stay, as after
 * any import (docs/decisions/0028-undo.md).
 */
export function undoManagerRoles(command: UndoManagerRoles, now: ManagerRolesState): ManagerRolesUndo {
  const { before, after, force } = command;
  const roles = difference(
    { before: before.roles, after: after.roles, now: now.roles },
    ({ primaryContact }) => primaryContact,
  );
  const names = difference(
    { before: namesIn(before), after: namesIn(after, before), now: namesIn(now, before) },
    (digest) => digest,
  );
  const parents = { before: before.hierarchy, after: after.hierarchy, now: now.hierarchy };
  const { hierarchy, ...divisions } = restoredHierarchy(
    parents,
    difference(parents, (parent) => parent),
  );
  const later = { roles: roles.later, users: names.later, divisions: divisions.later };
  if (!force && Object.values(later).some((keys) => keys.length > 0)) return { kind: 'refused', later };
  const wanted = restored(now.roles, before.roles, roles.open);
  return {
    kind: 'events',
    later,
    event: restoringEvent(command, now, { wanted, hierarchy, renamed: names.open }),
  };
}

/** Digests by number, of users whom the older state has. */
export function namesIn({ users }: ManagerRolesState, older?: ManagerRolesState): Map<number, string> {
  const known = [...users].filter(([id]) => older?.users.has(id) !== false);
  return new Map(known.map(([, { number, digest }]) => [number, digest]));
}

type Parents = ReadonlyMap<number, number>;

/** All of it is left alone where the parts together would be a circle. */
function restoredHierarchy(
  { before, now }: Readonly<Record<'before' | 'now', Parents>>,
  { open, later }: Difference<number>,
): { readonly hierarchy: Parents; readonly later: readonly number[] } {
  const hierarchy = restored(now, before, open);
  return isCircular(hierarchy)
    ? { hierarchy: now, later: [...later, ...open].sort((one, other) => one - other) }
    : { hierarchy, later };
}

function isCircular(hierarchy: Parents): boolean {
  const ended = new Set<number>();
  for (const start of hierarchy.keys()) {
    const walked = new Set<number>();
    for (let at: number | undefined = start; at !== undefined && !ended.has(at); at = hierarchy.get(at)) {
      if (walked.has(at)) return true;
      walked.add(at);
    }
    for (const each of walked) ended.add(each);
  }
  return false;
}

interface Wanted {
  readonly wanted: ReadonlyMap<string, ManagerRole>;
  readonly hierarchy: Parents;
  readonly renamed: readonly number[];
}

function restoringEvent(
  { before, operationId, bodySha256, namesOf }: UndoManagerRoles,
  now: ManagerRolesState,
  { wanted, hierarchy, renamed }: Wanted,
): ManagerRolesEvent {
  const [digests, holders] = [namesIn(before), new Set([...wanted.values()].map(({ user }) => user))];
  const numbersOf = (isWanted: (user: PortalUser) => boolean): number[] =>
    [...now.users.values()].filter(isWanted).map(({ number }) => number);
  const usersLocked = numbersOf(({ number, locked }) => !locked && !holders.has(number));
  const roles = diffRoles(wanted, now.roles);
  const restoring: ManagerRolesImported = {
    operationId,
    bodySha256,
    digestVersion,
    created: roles.enabled.length,
    disabled: roles.disabled.length,
    locked: usersLocked.length,
    total: roles.total,
    lastUser: now.lastUser,
    lastDepartment: now.lastDepartment,
    usersCreated: [],
    usersRenamed: renamed.map((number) => ({
      number,
      digest: digests.get(number) ?? '',
      values: namesOf(number),
    })),
    usersLocked,
    usersUnlocked: numbersOf(({ number, locked }) => locked && holders.has(number)),
    departmentsCreated: [],
    rolesEnabled: [...roles.enabled],
    rolesChanged: [...roles.changed],
    rolesDisabled: [...roles.disabled],
    hierarchy: [...hierarchy].map(([department, parent]) => ({ department, parent })),
    parentsRemoved: [...now.hierarchy.keys()].filter((division) => !hierarchy.has(division)),
  };
  return eventOf(restoring, now);
}
