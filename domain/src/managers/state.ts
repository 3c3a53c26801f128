import type { DepartmentEntry } from '@rollcall/contracts';
import { departmentKey, roleKey } from './keys.js';

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
