import type {
  CompanySettings,
  DepartmentEntry,
  PortalUserEntry,
  PortalUserRenamed,
} from '@rollcall/contracts';
import type { Dimension, RoleSent } from './read-import.js';
import { departmentKey, type ManagerRolesState, roleKey, type ManagerRole } from './evolve.js';
import type { DivisionSent } from './read-hierarchy.js';
import { foldEmail } from '@rollcall/employee-lists/text';
import type { Digester } from '@rollcall/employee-lists';

/** Finds or creates departments (docs/contract, "Department"). */
export class DepartmentPlan {
  readonly #known: ManagerRolesState['departments'];
  readonly #new = new Map<string, DepartmentEntry>();
  #last: number;

  constructor(state: ManagerRolesState) {
    this.#known = state.departments;
    this.#last = state.lastDepartment;
  }

  get created(): readonly DepartmentEntry[] {
    return [...this.#new.values()];
  }

  get last(): number {
    return this.#last;
  }

  findOrCreate({ type, name: dimension }: Dimension, name: string): number {
    return this.#find(dimension, name) ?? this.#create({ type, dimension, name });
  }

  /** Searches the division dimensions in configured order; creates in the first. */
  findOrCreateDivision(name: string, { divisionDimensions }: CompanySettings): number {
    for (const dimension of divisionDimensions) {
      const number = this.#find(dimension, name);
      if (number !== undefined) return number;
    }
    const [dimension] = divisionDimensions;
    if (dimension === undefined) throw new TypeError('a hierarchy without a division dimension is not valid');
    return this.#create({ type: 'division', dimension, name });
  }

  #find(dimension: string, name: string): number | undefined {
    const key = departmentKey(dimension, name);
    return (this.#known.get(key) ?? this.#new.get(key))?.number;
  }

  #create(department: Omit<DepartmentEntry, 'number'>): number {
    const number = ++this.#last;
    this.#new.set(departmentKey(department.dimension, department.name), { number, ...department });
    return number;
  }
}

export function planHierarchy(
  sent: readonly DivisionSent[] | null,
  state: ManagerRolesState,
  plan: DepartmentPlan,
  settings: CompanySettings,
): ReadonlyMap<number, number> {
  if (sent === null) return state.hierarchy;
  const hierarchy = new Map<number, number>();
  for (const { name, parent } of sent) {
    const division = plan.findOrCreateDivision(name, settings);
    if (parent !== null) hierarchy.set(division, plan.findOrCreateDivision(parent, settings));
  }
  return hierarchy;
}

interface RolePlan {
  readonly enabled: readonly ManagerRole[];
  readonly changed: readonly ManagerRole[];
  readonly disabled: readonly { readonly department: number; readonly user: number }[];
  readonly total: number;
}

/** The body's roles are enabled; all others are disabled (interface.md, "Import manager roles"). */
export function planRoles(
  roles: readonly RoleSent[],
  users: ReadonlyMap<string, number>,
  departments: DepartmentPlan,
  before: ManagerRolesState['roles'],
): RolePlan {
  const wanted = new Map<string, ManagerRole>();
  for (const sent of roles) {
    const user = users.get(foldEmail(sent.email)) ?? 0;
    const department = departments.findOrCreate(sent.dimension, sent.department);
    const key = roleKey(department, user);
    // Repeated entries are one role; its user is a primary contact if any entry says so.
    const primaryContact = sent.primaryContact || wanted.get(key)?.primaryContact === true;
    wanted.set(key, { department, user, primaryContact });
  }
  return diffRoles(wanted, before);
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

interface Person {
  readonly email: string;
  firstName: string;
  lastName: string;
}

/** One per e-mail address; the last names count. Locked without enabled role (docs/contract, "Portal user"). */
export function planUsers(roles: readonly RoleSent[], state: ManagerRolesState, digester: Digester) {
  const created: PortalUserEntry[] = [];
  const renamed: PortalUserRenamed[] = [];
  const unlocked: number[] = [];
  /** By folded e-mail address. */
  const numbers = new Map<string, number>();
  const present = new Set<number>();
  let last = state.lastUser;
  for (const [address, { email, firstName, lastName }] of peopleOf(roles)) {
    const idDigest = digester.userDigest('address', address);
    const values = { FirstName: firstName, LastName: lastName };
    const digest = namesDigest(values, digester);
    const known = state.users.get(idDigest);
    const number = known?.number ?? ++last;
    numbers.set(address, number);
    present.add(number);
    if (known === undefined) created.push({ number, idDigest, digest, values: { Email: email, ...values } });
    else if (known.digest !== digest) renamed.push({ number, digest, values });
    if (known?.locked === true) unlocked.push(number);
  }
  const left = [...state.users.values()].filter(({ number, locked }) => !locked && !present.has(number));
  return { created, renamed, locked: left.map(({ number }) => number), unlocked, last, numbers };
}

export const namesDigest = (names: Partial<PortalUserRenamed['values']>, digester: Digester): string =>
  digester.userDigest('names', JSON.stringify([names.FirstName, names.LastName]));

function peopleOf(roles: readonly RoleSent[]): Map<string, Person> {
  const people = new Map<string, Person>();
  for (const { email, firstName, lastName } of roles) {
    const address = foldEmail(email);
    const person = people.get(address);
    if (person === undefined) people.set(address, { email, firstName, lastName });
    else Object.assign(person, { firstName, lastName });
  }
  return people;
}
