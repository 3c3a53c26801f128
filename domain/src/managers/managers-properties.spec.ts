import { strict as assert } from 'node:assert';
import { checkEventData } from '@rollcall/contracts';
import fc from 'fast-check';
import t from 'tap';
import { scaled } from '@rollcall/employee-lists/testing';
import type { ManagerImportState } from './decide.js';
import type { ManagerRolesEvent } from './evolve.js';
import { type Entry, EventView, type Import, Model } from './managers.model.js';
import { after, company, settings, when } from './managers.testing.js';
import { decodeState, type EncodedManagerRoles, encodeState, initialState } from './evolve.js';

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
      const [again] = assertEvents(when(state, body));
      assert.equal(again.name, 'ManagerRolesConfirmed');
    }
  });
  const { numRuns, seed } = scaled(3_000, (text) => t.comment(text));
  t.doesNotThrow(() => fc.assert(property, { numRuns, seed }));
});

function assertEvents(decision: ReturnType<typeof when>): readonly [ManagerRolesEvent] {
  if (decision.kind === 'refused') throw new Error(decision.rejection.reason);
  return decision.events;
}

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
