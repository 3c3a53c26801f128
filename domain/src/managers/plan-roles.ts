import { foldEmail } from '@rollcall/employee-lists/text';
import { roleKey } from './keys.js';
import type { DepartmentPlan } from './plan-departments.js';
import type { RoleSent } from './read-role.js';
import type { ManagerRole, ManagerRolesState } from './state.js';

export interface RolePlan {
  readonly enabled: readonly ManagerRole[];
  readonly changed: readonly ManagerRole[];
  readonly disabled: readonly { readonly department: number; readonly user: number }[];
  readonly total: number;
}

/** Repeated entries are one role; its user is a primary contact if any entry says so. */
function wantedRoles(
  roles: readonly RoleSent[],
  users: ReadonlyMap<string, number>,
  departments: DepartmentPlan,
): Map<string, ManagerRole> {
  const wanted = new Map<string, ManagerRole>();
  for (const sent of roles) {
    const user = users.get(foldEmail(sent.email)) ?? 0;
    const department = departments.findOrCreate(sent.dimension, sent.department);
    const key = roleKey(department, user);
    const primaryContact = sent.primaryContact || wanted.get(key)?.primaryContact === true;
    wanted.set(key, { department, user, primaryContact });
  }
  return wanted;
}

/** The body's roles are enabled; all others are disabled (interface.md, state table, "Manager role"). */
export function planRoles(
  roles: readonly RoleSent[],
  users: ReadonlyMap<string, number>,
  departments: DepartmentPlan,
  before: ManagerRolesState['roles'],
): RolePlan {
  return diffRoles(wantedRoles(roles, users, departments), before);
}

/** By `roleKey`. */
export function diffRoles(
  wanted: ReadonlyMap<string, ManagerRole>,
  before: ManagerRolesState['roles'],
): RolePlan {
  const enabled: ManagerRole[] = [];
  const changed: ManagerRole[] = [];
  for (const [key, role] of wanted) {
    const old = before.get(key);
    if (old === undefined) enabled.push(role);
    else if (old.primaryContact !== role.primaryContact) changed.push(role);
  }
  const disabled = [...before]
    .filter(([key]) => !wanted.has(key))
    .map(([, { department, user }]) => ({ department, user }));
  return { enabled, changed, disabled, total: wanted.size };
}
