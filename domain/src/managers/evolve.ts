import type { DomainEventOf, ManagerRolesImported, DepartmentEntry } from '@rollcall/contracts';
import { SetMismatch } from '@rollcall/employee-lists/set';
import { foldCase } from '@rollcall/employee-lists/text';

/** Case-insensitive; NUL occurs in neither part. */
export const departmentKey = (dimension: string, name: string): string =>
  `${foldCase(dimension)}\0${foldCase(name)}`;

export const roleKey = (department: number, user: number): string => `${department}:${user}`;

export interface PortalUser {
  readonly number: number;
  /** Keyed digest of the names. */
  readonly digest: string;
  readonly locked: boolean;
}

export interface ManagerRole {
  readonly department: number;
  readonly user: number;
  readonly primaryContact: boolean;
}

/** The fold of a company's manager events; iterates by number, roles in order of enabling. */
export interface ManagerRolesState {
  /** By keyed digest of the folded e-mail address. */
  readonly users: ReadonlyMap<string, PortalUser>;
  /** By `departmentKey`. */
  readonly departments: ReadonlyMap<string, DepartmentEntry>;
  /** Enabled roles, by `roleKey`. */
  readonly roles: ReadonlyMap<string, ManagerRole>;
  /** A division's number to its parent's. */
  readonly hierarchy: ReadonlyMap<number, number>;
  /** The highest numbers ever given. */
  readonly lastUser: number;
  readonly lastDepartment: number;
}

export const initialState = (): ManagerRolesState => ({
  users: new Map(),
  departments: new Map(),
  roles: new Map(),
  hierarchy: new Map(),
  lastUser: 0,
  lastDepartment: 0,
});

export interface EncodedManagerRoles {
  readonly users: readonly (readonly [idDigest: string, number: number, digest: string, locked: boolean])[];
  readonly departments: readonly DepartmentEntry[];
  readonly roles: readonly (readonly [department: number, user: number, primaryContact: boolean])[];
  readonly hierarchy: readonly (readonly [department: number, parent: number])[];
  readonly lastUser: number;
  readonly lastDepartment: number;
}

export const encodeState = (state: ManagerRolesState): EncodedManagerRoles => ({
  users: [...state.users].map(([id, { number, digest, locked }]) => [id, number, digest, locked] as const),
  departments: [...state.departments.values()],
  roles: [...state.roles.values()].map(
    ({ department, user, primaryContact }) => [department, user, primaryContact] as const,
  ),
  hierarchy: [...state.hierarchy],
  lastUser: state.lastUser,
  lastDepartment: state.lastDepartment,
});

export const decodeState = (encoded: EncodedManagerRoles): ManagerRolesState => ({
  users: new Map(encoded.users.map(([id, number, digest, locked]) => [id, { number, digest, locked }])),
  departments: new Map(encoded.departments.map((each) => [departmentKey(each.dimension, each.name), each])),
  roles: new Map(
    encoded.roles.map(([department, user, primaryContact]) => [
      roleKey(department, user),
      { department, user, primaryContact },
    ]),
  ),
  hierarchy: new Map(encoded.hierarchy),
  lastUser: encoded.lastUser,
  lastDepartment: encoded.lastDepartment,
});

export const stateBytes = ({ users, departments, roles, hierarchy }: ManagerRolesState): number =>
  users.size * 220 + departments.size * 400 + roles.size * 160 + hierarchy.size * 40;

export type ManagerRolesEvent =
  DomainEventOf<'ManagerRolesImported'> | DomainEventOf<'ManagerRolesConfirmed'>;

/** Pure. `SetMismatch` where the event does not fit the state. */
export function evolve(state: ManagerRolesState, event: ManagerRolesEvent): ManagerRolesState {
  switch (event.name) {
    case 'ManagerRolesImported':
      return imported(state, event.data);
    case 'ManagerRolesConfirmed':
      return state;
    default:
      return event satisfies never;
  }
}

const imported = (state: ManagerRolesState, data: ManagerRolesImported): ManagerRolesState => ({
  users: usersAfter(state, data),
  departments: departmentsAfter(state, data),
  roles: rolesAfter(state.roles, data),
  hierarchy: new Map(data.hierarchy.map(({ department, parent }) => [department, parent])),
  lastUser: data.lastUser,
  lastDepartment: data.lastDepartment,
});

function usersAfter(before: ManagerRolesState, data: ManagerRolesImported): Map<string, PortalUser> {
  const users = new Map(before.users);
  const ids = new Map([...before.users].map(([id, { number }]) => [number, id]));
  const change = (number: number, changes: Partial<PortalUser>): void => {
    const id = ids.get(number);
    const user = id === undefined ? undefined : users.get(id);
    if (id === undefined || user === undefined) throw new SetMismatch(`portal user ${number} is not known`);
    users.set(id, { ...user, ...changes });
  };
  for (const { number, digest } of data.usersRenamed) change(number, { digest });
  for (const number of data.usersLocked) change(number, { locked: true });
  for (const number of data.usersUnlocked) change(number, { locked: false });
  for (const { number, idDigest, digest } of data.usersCreated) {
    if (users.has(idDigest) || number <= before.lastUser)
      throw new SetMismatch(`portal user ${number} was created before`);
    users.set(idDigest, { number, digest, locked: false });
  }
  return users;
}

function departmentsAfter(
  before: ManagerRolesState,
  { departmentsCreated }: ManagerRolesImported,
): ManagerRolesState['departments'] {
  if (departmentsCreated.length === 0) return before.departments;
  const departments = new Map(before.departments);
  for (const department of departmentsCreated) {
    const key = departmentKey(department.dimension, department.name);
    if (departments.has(key) || department.number <= before.lastDepartment)
      throw new SetMismatch(`department ${department.number} was created before`);
    departments.set(key, department);
  }
  return departments;
}

function rolesAfter(
  before: ManagerRolesState['roles'],
  { rolesEnabled, rolesChanged, rolesDisabled, total }: ManagerRolesImported,
): Map<string, ManagerRole> {
  const roles = new Map(before);
  for (const { department, user } of rolesDisabled) roles.delete(roleKey(department, user));
  for (const role of [...rolesChanged, ...rolesEnabled]) roles.set(roleKey(role.department, role.user), role);
  if (roles.size !== total) throw new SetMismatch('there are not as many manager roles as the event tells');
  return roles;
}
