import type { ReadModels } from '@rollcall/application';
import fc from 'fast-check';

/** Who leads what: a department and a user, each once. */
export interface Leads {
  readonly roles: readonly (readonly [department: string, user: string])[];
  readonly lastName: string;
  readonly contact: boolean;
  readonly hierarchy: Readonly<Record<string, string | null>> | null;
}

const departments = ['Cranes', 'Ærø', '7'];
const users = ['ada@example.com', 'bo@example.com', 'cy@example.com'];
const all = departments.flatMap((department) => users.map((user) => [department, user] as const));
/** So many that their event is applied by itself. */
const many = Array.from({ length: 2_500 }, (_, at) => ['Docks', `user-${at}@example.com`] as const);

export const arbitraryLeads: fc.Arbitrary<Leads> = fc.record({
  roles: fc.oneof({ weight: 12, arbitrary: fc.subarray(all) }, { weight: 1, arbitrary: fc.constant(many) }),
  lastName: fc.constantFrom('Example', 'Prøve'),
  contact: fc.boolean(),
  hierarchy: fc.option(
    fc.constantFrom<Readonly<Record<string, string | null>>[]>(
      { Harbour: 'Coast' },
      { Coast: 'Harbour' },
      { Harbour: null },
      {},
    ),
    { nil: null },
  ),
});

/** The body of the import that says so. */
export const managersBody = ({ roles, lastName, contact, hierarchy }: Leads): object => ({
  ManagerRoles: roles.map(([DepartmentName, Email]) => ({
    DimensionName: 'Department',
    DepartmentName,
    FirstName: 'Ann',
    LastName: lastName,
    Email,
    PrimaryContact: contact,
  })),
  DepartmentHierarchy: hierarchy,
});

/** The same as the read models tell it, sorted. */
export async function enabledRoles(store: ReadModels, companyId: number): Promise<string[]> {
  const names = await membersOf(store, 'manager-departments', companyId, 'Name');
  const emails = await membersOf(store, 'manager-users', companyId, 'Email');
  const roles: string[] = [];
  for await (const { key, value } of store.find('manager-roles', { prefix: [companyId] })) {
    const [, department, user] = key;
    if (member(value, 'Enabled') === true)
      roles.push(`${String(names.get(department))} ${String(emails.get(user))}`);
  }
  return roles.sort();
}

const member = (value: Uint8Array, name: string): unknown =>
  (JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>)[name];

export async function membersOf(
  store: Pick<ReadModels, 'find'>,
  collection: string,
  companyId: number,
  name: string,
): Promise<Map<unknown, unknown>> {
  const members = new Map<unknown, unknown>();
  for await (const { key, value } of store.find(collection, { prefix: [companyId] }))
    members.set(key[1], member(value, name));
  return members;
}
