import { strict as assert } from 'node:assert';
import { checkEventData, type ManagerRolesImported } from '@rollcall/contracts';
import fc from 'fast-check';
import t from 'tap';
import { scaled } from '@rollcall/employee-lists/testing';
import type { ManagerImportState } from './decide.js';
import type { ManagerRolesEvent } from './evolve.js';
import { after, company, settings, when } from './managers.testing.js';
import { decodeState, type EncodedManagerRoles, encodeState, initialState } from './evolve.js';

interface Entry {
  readonly DimensionName: string;
  readonly DepartmentName: string;
  readonly FirstName: string;
  readonly LastName: string;
  readonly Email: string;
  readonly PrimaryContact: boolean | null;
}

interface Import {
  readonly ManagerRoles: readonly Entry[];
  readonly DepartmentHierarchy: Readonly<Record<string, string | null>> | null;
}

/** The visible managers, by number. */
interface View {
  readonly users: readonly string[];
  readonly departments: readonly string[];
  readonly roles: readonly string[];
  readonly parents: readonly string[];
}

interface User {
  readonly email: string;
  names: string;
  locked: boolean;
}
interface Role {
  enabled: boolean;
  primary: boolean;
}

const lower = (text: string): string => text.toLowerCase();
const show = <K, V>(map: ReadonlyMap<K, V>, line: (value: V, key: K, at: number) => string): string[] =>
  [...map].map(([key, value], at) => line(value, key, at));

/** A second, slow implementation of interface.md by names instead of numbers. */
class Model {
  readonly #users = new Map<string, User>();
  readonly #departments = new Map<string, string>();
  readonly #roles = new Map<string, Role>();
  #parents = new Map<string, string>();

  import({ ManagerRoles, DepartmentHierarchy }: Import, dimensions: readonly string[]): number[] {
    const before = new Set(show(this.#roles, ({ enabled }, key) => (enabled ? key : '')));
    const active = new Set(show(this.#users, ({ locked }, key) => (locked ? '' : key)));
    for (const role of this.#roles.values()) role.enabled = false;
    const contacts = new Set<string>();
    for (const entry of ManagerRoles) this.#enter(entry, dimensions, contacts);
    for (const [key, role] of this.#roles) if (role.enabled) role.primary = contacts.has(key);
    if (DepartmentHierarchy !== null) this.#arrange(DepartmentHierarchy);
    for (const [key, user] of this.#users) user.locked = !this.#leads(key);
    const after = new Set(show(this.#roles, ({ enabled }, key) => (enabled ? key : '')));
    return [
      [...after].filter((key) => key !== '' && !before.has(key)).length,
      [...before].filter((key) => key !== '' && !after.has(key)).length,
      [...active].filter((key) => this.#users.get(key)?.locked).length,
    ];
  }

  #enter(entry: Entry, dimensions: readonly string[], contacts: Set<string>): void {
    const user = lower(entry.Email);
    const dimension = dimensions.find((name) => lower(name) === lower(entry.DimensionName)) ?? '';
    const department = this.#department(dimension, entry.DepartmentName);
    const known = this.#users.get(user) ?? { email: entry.Email, names: '', locked: false };
    this.#users.set(user, known);
    known.names = `${entry.FirstName} ${entry.LastName}`;
    const key = `${department} < ${user}`;
    const role = this.#roles.get(key) ?? { enabled: true, primary: false };
    role.enabled = true;
    this.#roles.set(key, role);
    if (entry.PrimaryContact === true) contacts.add(key);
  }

  #department(dimension: string, name: string): string {
    const key = lower(`${dimension}/${name}`);
    if (!this.#departments.has(key)) this.#departments.set(key, `${dimension}/${name}`);
    return key;
  }

  #arrange(hierarchy: Readonly<Record<string, string | null>>): void {
    this.#parents = new Map();
    for (const [name, parent] of Object.entries(hierarchy)) {
      const division = this.#division(name);
      if (parent !== null) this.#parents.set(division, this.#division(parent));
    }
  }

  #division(name: string): string {
    const found = ['division', 'region'].map((dimension) => `${dimension}/${lower(name)}`);
    return found.find((key) => this.#departments.has(key)) ?? this.#department('Division', name);
  }

  #leads(user: string): boolean {
    return [...this.#roles].some(([key, { enabled }]) => enabled && key.endsWith(` < ${user}`));
  }

  view(): View {
    return {
      users: show(
        this.#users,
        ({ email, names, locked }, _, at) => `${at + 1} ${email} ${names}${locked ? ' locked' : ''}`,
      ),
      departments: show(this.#departments, (name, _, at) => `${at + 1} ${name}`),
      roles: show(
        this.#roles,
        ({ enabled, primary }, key) => `${key} ${enabled ? 'enabled' : 'disabled'} ${primary}`,
      ).sort(),
      parents: show(this.#parents, (parent, division) => `${division} < ${parent}`).sort(),
    };
  }
}

class EventView {
  readonly #users = new Map<number, User>();
  readonly #departments = new Map<number, string>();
  readonly #roles = new Map<string, Role>();
  readonly #parents = new Map<number, number>();

  apply(data: ManagerRolesImported): void {
    for (const { number, values } of data.usersCreated)
      this.#users.set(number, {
        email: values.Email,
        names: `${values.FirstName} ${values.LastName}`,
        locked: false,
      });
    for (const { number, values } of data.usersRenamed)
      this.#user(number).names = `${values.FirstName} ${values.LastName}`;
    for (const number of data.usersLocked) this.#user(number).locked = true;
    for (const number of data.usersUnlocked) this.#user(number).locked = false;
    for (const { number, dimension, name } of data.departmentsCreated)
      this.#departments.set(number, `${dimension}/${name}`);
    this.#applyRoles(data);
    for (const number of data.parentsRemoved) this.#parents.delete(number);
    for (const { department, parent } of data.hierarchy) this.#parents.set(department, parent);
  }

  #applyRoles(data: ManagerRolesImported): void {
    for (const { department, user, primaryContact } of [...data.rolesEnabled, ...data.rolesChanged])
      this.#roles.set(this.#role(department, user), { enabled: true, primary: primaryContact });
    for (const { department, user } of data.rolesDisabled) {
      const role = this.#roles.get(this.#role(department, user));
      if (role === undefined) throw new Error('a role that was never enabled is disabled');
      role.enabled = false;
    }
  }

  #user(number: number): User {
    const user = this.#users.get(number);
    if (user === undefined) throw new Error(`user ${number} is not known`);
    return user;
  }

  #department(number: number): string {
    const name = this.#departments.get(number);
    if (name === undefined) throw new Error(`department ${number} is not known`);
    return lower(name);
  }

  #role(department: number, user: number): string {
    return `${this.#department(department)} < ${lower(this.#user(user).email)}`;
  }

  view(): View {
    return {
      users: show(
        this.#users,
        ({ email, names, locked }, number) => `${number} ${email} ${names}${locked ? ' locked' : ''}`,
      ),
      departments: show(this.#departments, (name, number) => `${number} ${name}`),
      roles: show(
        this.#roles,
        ({ enabled, primary }, key) => `${key} ${enabled ? 'enabled' : 'disabled'} ${primary}`,
      ).sort(),
      parents: show(
        this.#parents,
        (parent, division) => `${this.#department(division)} < ${this.#department(parent)}`,
      ).sort(),
    };
  }
}

const dimensions = ['Department', 'Division', 'Region', 'Project'];

const cased = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(text, text.toUpperCase(), text.toLowerCase());
const oneOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts).chain(cased);

const entry: fc.Arbitrary<Entry> = fc.record({
  DimensionName: oneOf(...dimensions),
  DepartmentName: oneOf('Cranes', 'Docks', 'Ærø', '7'),
  FirstName: fc.constantFrom('Ada', 'Bo'),
  LastName: fc.constantFrom('Example', 'Prøve'),
  Email: oneOf('Ada@example.com', 'bo@Example.com', 'Cy@example.com', 'Dø@example.com', 'e@example.com'),
  PrimaryContact: fc.constantFrom(true, false, null),
});

/** Parents stand behind their divisions in one order of all, so that there is no cycle. */
const hierarchy: fc.Arbitrary<Import['DepartmentHierarchy']> = fc
  .tuple(
    fc.shuffledSubarray(['Cranes', 'Docks', 'Ærø', '7', 'Coast', 'Inland']),
    fc.infiniteStream(fc.nat(7)),
  )
  .map(([names, numbers]) => {
    const members = names.map((name, at): [string, string | null] => {
      const [step = 0] = numbers.take(1);
      return [name, step === 0 ? null : (names[at + step]?.toUpperCase() ?? null)];
    });
    return Object.fromEntries(members);
  });

const imports: fc.Arbitrary<Import[]> = fc.array(
  fc.record({
    ManagerRoles: fc.array(entry, { maxLength: 8 }),
    DepartmentHierarchy: fc.option(hierarchy, { nil: null }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** What every event has to hold to, whatever it says. */
function checkEvent(event: ManagerRolesEvent, before: ManagerImportState): void {
  assert.deepEqual(checkEventData(event.name, event.data).ok, true);
  if (event.name === 'ManagerRolesConfirmed') return;
  const { usersCreated, departmentsCreated, lastUser, lastDepartment } = event.data;
  const { managers } = before;
  const users = usersCreated.map(({ number }) => number);
  const departments = departmentsCreated.map(({ number }) => number);
  assert.deepEqual(users, numbers(managers.lastUser, lastUser));
  assert.deepEqual(departments, numbers(managers.lastDepartment, lastDepartment));
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, at) => from + at + 1);

t.test('imports one after the other are what the model says', async (t) => {
  const property = fc.property(imports, fc.boolean(), (bodies, hierarchyEnabled) => {
    const model = new Model();
    const seen = new EventView();
    let state = company({ hierarchyEnabled });
    for (const body of bodies) {
      const expected = model.import(
        hierarchyEnabled ? body : { ...body, DepartmentHierarchy: null },
        dimensions,
      );
      const decision = when(state, body);
      assert.ok(decision.kind === 'events');
      const [event] = decision.events;
      checkEvent(event, state);
      const { created, disabled, locked, total } = event.data;
      assert.deepEqual([created, disabled, locked], expected);
      if (event.name === 'ManagerRolesImported') seen.apply(event.data);
      assert.deepEqual(seen.view(), model.view());
      assert.equal(total, model.view().roles.filter((role) => / enabled /.test(role)).length);
      state = after(state, decision);
      const json = JSON.stringify(encodeState(state.managers));
      assert.deepEqual(decodeState(JSON.parse(json) as EncodedManagerRoles), state.managers);
      const again = when(state, body);
      assert.ok(again.kind === 'events');
      assert.equal(again.events[0].name, 'ManagerRolesConfirmed');
    }
  });
  const { numRuns, seed } = scaled(3_000, (text) => t.comment(text));
  t.doesNotThrow(() => fc.assert(property, { numRuns, seed }));
});

t.test('no body throws, and a refusal changes nothing', async (t) => {
  const wild = fc.record(
    {
      ManagerRoles: fc.oneof(fc.array(fc.oneof(entry, fc.jsonValue({ maxDepth: 2 }))), fc.jsonValue()),
      DepartmentHierarchy: fc.oneof(
        fc.dictionary(fc.constantFrom('A', 'a', 'B', 'C', ' '), fc.constantFrom('A', 'B', 'c', '', null, 1)),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  );
  const property = fc.property(wild, (body) => {
    const state = company({}, initialState());
    const decision = when(state, body);
    if (decision.kind === 'events') after(state, decision);
    else if (decision.rejection.reason === 'invalid')
      assert.ok(decision.rejection.problems.length > 0 && decision.rejection.problems.length <= 21);
    assert.deepEqual(state.managers, initialState());
  });
  const { numRuns, seed } = scaled(5_000, (text) => t.comment(text));
  t.doesNotThrow(() => fc.assert(property, { numRuns, seed }));
  t.ok(settings.hierarchyEnabled);
});
