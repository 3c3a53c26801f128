import type { ImportCounts } from '@rollcall/domain';

/** A caller's whole list: EmployeeID to job title. */
export type EmployeeBody = Readonly<Record<string, string>>;

export interface RoleSent {
  readonly department: string;
  readonly email: string;
}

/** What one import sends. */
export type Sent =
  | { readonly kind: 'employees'; readonly employees: EmployeeBody }
  | { readonly kind: 'managers'; readonly roles: readonly RoleSent[] };

const roleKey = ({ department, email }: RoleSent): string => `${department}|${email}`;

/** A company as maps and sets: what must come out when its imports run one after the other. */
export class CompanyModel {
  #employees = new Map<string, string>();
  #enabled = new Set<string>();
  readonly #users = new Map<string, { locked: boolean }>();

  /** Carries out one import and gives the counts that its row must show. */
  apply(sent: Sent): ImportCounts {
    return sent.kind === 'employees' ? this.#replace(sent.employees) : this.#import(sent.roles);
  }

  #replace(body: EmployeeBody): ImportCounts {
    const before = this.#employees;
    const after = new Map(Object.entries(body));
    this.#employees = after;
    const stayed = [...after].filter(([id]) => before.has(id));
    return {
      inserted: after.size - stayed.length,
      updated: stayed.filter(([id, title]) => before.get(id) !== title).length,
      removed: [...before.keys()].filter((id) => !after.has(id)).length,
    };
  }

  #import(roles: readonly RoleSent[]): ImportCounts {
    const wanted = new Set(roles.map(roleKey));
    const before = this.#enabled;
    this.#enabled = wanted;
    const present = new Set(roles.map(({ email }) => email));
    let locked = 0;
    for (const email of present) this.#users.set(email, { locked: false });
    for (const [email, user] of this.#users) {
      if (present.has(email) || user.locked) continue;
      user.locked = true;
      locked += 1;
    }
    return {
      inserted: [...wanted].filter((key) => !before.has(key)).length,
      updated: locked,
      removed: [...before].filter((key) => !wanted.has(key)).length,
    };
  }

  /** One line an employee, in the order of their ids. */
  get employees(): string[] {
    return [...this.#employees].map(([id, title]) => `${id}=${title}`).sort();
  }

  get users(): string[] {
    return [...this.#users].map(([email, { locked }]) => `${email}=${locked ? 'locked' : 'active'}`).sort();
  }

  get roles(): string[] {
    return [...this.#enabled].sort();
  }
}
