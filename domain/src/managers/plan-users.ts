import type { PortalUserEntry, PortalUserRenamed } from '@rollcall/contracts';
import type { Digester } from '@rollcall/employee-lists';
import { foldEmail } from '@rollcall/employee-lists/text';
import type { RoleSent } from './read-role.js';
import type { ManagerRolesState, PortalUser } from './state.js';

export interface UserPlan {
  readonly created: readonly PortalUserEntry[];
  readonly renamed: readonly PortalUserRenamed[];
  readonly locked: readonly number[];
  readonly unlocked: readonly number[];
  readonly last: number;
  /** By folded e-mail address. */
  readonly numbers: ReadonlyMap<string, number>;
}

interface Person {
  readonly email: string;
  firstName: string;
  lastName: string;
}

/** One per e-mail address; the last names count. Locked without enabled role (interface.md, state table, "Portal user"). */
export function planUsers(
  roles: readonly RoleSent[],
  state: ManagerRolesState,
  digester: Digester,
): UserPlan {
  const created: PortalUserEntry[] = [];
  const renamed: PortalUserRenamed[] = [];
  const unlocked: number[] = [];
  const numbers = new Map<string, number>();
  const present = new Set<number>();
  let last = state.lastUser;
  for (const [address, { email, firstName, lastName }] of peopleOf(roles)) {
    const idDigest = digester.userDigest('address', address);
    const digest = digester.userDigest('names', JSON.stringify([firstName, lastName]));
    const values = { FirstName: firstName, LastName: lastName };
    const known = state.users.get(idDigest);
    const number = known?.number ?? ++last;
    numbers.set(address, number);
    present.add(number);
    if (known === undefined) created.push({ number, idDigest, digest, values: { Email: email, ...values } });
    else if (known.digest !== digest) renamed.push({ number, digest, values });
    if (known?.locked === true) unlocked.push(number);
  }
  return { created, renamed, locked: leftOver(state.users, present), unlocked, last, numbers };
}

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

function leftOver(users: ReadonlyMap<string, PortalUser>, present: ReadonlySet<number>): number[] {
  const left: number[] = [];
  for (const { number, locked } of users.values()) if (!locked && !present.has(number)) left.push(number);
  return left;
}
