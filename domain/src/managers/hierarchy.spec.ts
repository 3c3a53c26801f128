import type { CompanySettings } from '@rollcall/contracts';
import t from 'tap';
import { company, given, outcome, outcomeOf, role, roles, when } from './managers.testing.js';

const hierarchy = (DepartmentHierarchy: unknown, ...ManagerRoles: readonly object[]): object => ({
  ManagerRoles,
  DepartmentHierarchy,
});
const division = (name: string, DimensionName: string): object => role(name, 'Ada', { DimensionName });
const refusal = (value: unknown, changes: Partial<CompanySettings> = {}): unknown =>
  outcome(when(company(changes), hierarchy(value)));

t.test('any value passes where hierarchy import is not enabled, and changes nothing', async (t) => {
  const state = given(company(), hierarchy({ A: 'B' }));
  const without = { ...company({ hierarchyEnabled: false }), managers: state.managers };
  for (const value of [null, 7, 'x', [1], { A: 'A' }, { A: 1 }, { C: null }])
    t.equal(outcome(when(without, hierarchy(value))), 'confirmed', JSON.stringify(value));
});

t.test('absent or null leaves the hierarchy as it is', async (t) => {
  const state = given(company(), hierarchy({ A: 'B' }));
  t.equal(outcome(when(state, roles())), 'confirmed');
  t.equal(outcome(when(state, hierarchy(null))), 'confirmed');
  t.strictSame(outcome(when(state, roles(role('Cranes', 'Ada')))).slice(-2), [
    'parent of 1 is 2',
    '1 created, 0 disabled, 0 locked',
  ]);
});

t.test('an object replaces it whole', (t) => {
  const state = given(company(), hierarchy({ A: 'B', B: 'C', D: null }));
  t.test('a null parent and a division that is not named have none', async (t) => {
    t.strictSame(outcome(when(state, hierarchy({ B: null, A: 'C' }))), [
      'parent of 1 is 3',
      'parent of 2 removed',
      '0 created, 0 disabled, 0 locked',
    ]);
    t.strictSame(outcome(when(state, hierarchy({}))), [
      'parent of 1 removed',
      'parent of 2 removed',
      '0 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('another order of the members is no change', async (t) => {
    t.equal(outcome(when(state, hierarchy({ D: null, b: 'c', a: 'b' }))), 'confirmed');
  });
  t.test('a division with another parent', async (t) => {
    t.strictSame(outcomeOf(when(state, hierarchy({ A: 'D', B: 'C' })), 'parent'), [
      'parent of 1 is 4',
      'parent of 2 is 3',
    ]);
  });
  t.test('what was a cycle with the former hierarchy is none', async (t) => {
    t.strictSame(outcomeOf(when(state, hierarchy({ B: 'A' })), 'parent'), [
      'parent of 2 is 1',
      'parent of 1 removed',
    ]);
  });
  t.end();
});

t.test('divisions', (t) => {
  t.test('missing ones are created in the first division dimension, as first written', async (t) => {
    t.strictSame(outcomeOf(when(company(), hierarchy({ Harbour: 'Coast', COAST: null })), 'department'), [
      'department 1 created: division, Division, Harbour',
      'department 2 created: division, Division, Coast',
    ]);
  });
  t.test('whole numbers get theirs first', async (t) => {
    const body = hierarchy(JSON.parse('{"Harbour":"9","10":null,"9":null}'));
    t.strictSame(outcomeOf(when(company(), body), 'department'), [
      'department 1 created: division, Division, 9',
      'department 2 created: division, Division, 10',
      'department 3 created: division, Division, Harbour',
    ]);
  });
  t.test('those of the roles come first and are found', async (t) => {
    const body = hierarchy({ harbour: 'inland', Inland: null }, division('Harbour', 'Region'));
    t.strictSame(outcome(when(company(), body)).slice(1, 5), [
      'department 1 created: division, Region, Harbour',
      'department 2 created: division, Division, inland',
      'role 1/1 enabled',
      'parent of 1 is 2',
    ]);
  });
  t.test('one that stands in two dimensions is that of the dimension configured first', async (t) => {
    const state = given(company(), roles(division('Harbour', 'Region'), division('Harbour', 'Division')));
    t.strictSame(outcomeOf(when(state, hierarchy({ Harbour: 'Coast' })), 'parent'), ['parent of 2 is 3']);
  });
  t.test('a department or project of the name is none', async (t) => {
    const state = given(company(), roles(role('Harbour', 'Ada'), division('Harbour', 'Project')));
    t.strictSame(outcomeOf(when(state, hierarchy({ Harbour: null })), 'department'), [
      'department 3 created: division, Division, Harbour',
    ]);
  });
  t.test('need a division dimension', async (t) => {
    t.equal(
      refusal({ A: null }, { divisionDimensions: [] }),
      'DepartmentHierarchy needs a division dimension; the company has none configured',
    );
    t.equal(refusal({}, { divisionDimensions: [] }), 'confirmed');
  });
  t.end();
});

t.test('refused', (t) => {
  t.test('what is no object of names', async (t) => {
    for (const value of [7, 'x', [], true]) t.equal(refusal(value), 'DepartmentHierarchy must be an object');
    for (const value of [7, true, {}, ['B']])
      t.equal(refusal({ A: value }), 'DepartmentHierarchy.A must be a string or null');
  });
  t.test('names that are blank or too long', async (t) => {
    const long = 'x'.repeat(151);
    t.equal(refusal({ ' ': null }), 'DepartmentHierarchy[ ]: the name must not be blank');
    t.equal(refusal({ A: '' }), 'DepartmentHierarchy.A must not be blank');
    t.equal(refusal({ A: long }), 'DepartmentHierarchy.A must be at most 150 characters');
    t.equal(
      refusal({ [long]: 'A' }),
      `DepartmentHierarchy.${'x'.repeat(40)}…: the name must be at most 150 characters`,
    );
    t.ok(Array.isArray(refusal({ ['😀'.repeat(150)]: '😀'.repeat(149) })));
  });
  t.test('more divisions than one event can well carry', async (t) => {
    const members = Array.from({ length: 100_001 }, (_, at) => [`V${at}`, null]);
    t.equal(refusal(Object.fromEntries(members)), 'DepartmentHierarchy must name at most 100000 divisions');
    t.ok(Array.isArray(refusal(Object.fromEntries(members.slice(1)))));
    t.equal(
      refusal({ A: 'A', ...Object.fromEntries(members) }, { divisionDimensions: [] }),
      'DepartmentHierarchy must name at most 100000 divisions; ' +
        'DepartmentHierarchy.A must not be its own parent, directly or through others; ' +
        'DepartmentHierarchy needs a division dimension; the company has none configured',
    );
  });
  t.test('one division named twice', async (t) => {
    t.equal(
      refusal({ North: null, NORTH: 'South', nOrth: null }),
      'DepartmentHierarchy.North and DepartmentHierarchy.NORTH are the same division; ' +
        'DepartmentHierarchy.North and DepartmentHierarchy.nOrth are the same division',
    );
    t.equal(
      refusal({ North: 7, NORTH: null }),
      'DepartmentHierarchy.North must be a string or null; ' +
        'DepartmentHierarchy.North and DepartmentHierarchy.NORTH are the same division',
      'all problems in one answer',
    );
    t.equal(
      refusal({ North: 'North', NORTH: null }),
      'DepartmentHierarchy.North and DepartmentHierarchy.NORTH are the same division; ' +
        'DepartmentHierarchy.North must not be its own parent, directly or through others',
    );
  });
  t.test('its own parent, directly or through others', async (t) => {
    const cycle = (name: string): string =>
      `DepartmentHierarchy.${name} must not be its own parent, directly or through others`;
    t.equal(refusal({ A: 'A' }), cycle('A'));
    t.equal(refusal({ A: 'a' }), cycle('A'));
    t.equal(refusal({ A: 'B', B: 'C', C: 'a' }), cycle('A'));
    t.equal(
      refusal({ X: 'B', A: 'B', B: 'C', C: 'A' }),
      cycle('B'),
      'who stands beneath a cycle is not in it',
    );
    t.equal(refusal({ A: 'B', B: 'A', C: 'D', D: 'C', E: 'A' }), `${cycle('A')}; ${cycle('C')}`);
  });
  t.test('not: a shared parent, a chain, a parent that is not named', async (t) => {
    t.ok(Array.isArray(refusal({ A: 'C', B: 'C', C: 'D', E: 'A' })));
  });
  t.test('names that objects have of themselves', async (t) => {
    t.strictSame(outcomeOf(when(company(), hierarchy({ constructor: 'toString' })), 'department').length, 2);
  });
  t.end();
});
