import type { ManagerRolesImported } from '@rollcall/contracts';
import { SetMismatch } from '@rollcall/employee-lists/set';
import type { ManagerRolesEvent } from './decide.js';
import { departmentKey, roleKey } from './keys.js';
import type { ManagerRole, ManagerRolesState, PortalUser } from './state.js';

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
