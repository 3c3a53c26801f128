import { readFileSync } from 'node:fs';
import { checkEventData } from '@rollcall/contracts';
import { exactly } from '@rollcall/employee-lists/testing';
import t from 'tap';
import { initialState as unconfigured } from '../companies/index.js';
import {
  after,
  company,
  given,
  outcome,
  outcomeOf,
  role,
  roles,
  settings,
  when,
} from './managers.testing.js';
import { resultText } from './decide.js';

t.test('manager role (docs/contract, "Role")', (t) => {
  t.test('absent, in the request: enabled', async (t) => {
    t.strictSame(outcome(when(company(), roles(role('Cranes', 'Ada', { PrimaryContact: true })))), [
      'user 1 created: ada@example.com, Ada Example',
      'department 1 created: department, Department, Cranes',
      'role 1/1 enabled, primary contact',
      '1 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('enabled, in the request: stays enabled, and nothing is said of it', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')));
    t.strictSame(outcome(when(state, roles(role('Cranes', 'Ada'), role('Docks', 'Ada')))), [
      'department 2 created: department, Department, Docks',
      'role 2/1 enabled',
      '1 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('enabled, not in the request: disabled', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada'), role('Docks', 'Ada')));
    t.strictSame(outcome(when(state, roles(role('Docks', 'Ada')))), [
      'role 1/1 disabled',
      '0 created, 1 disabled, 0 locked',
    ]);
  });
  t.test('disabled, in the request: enabled, and counted as created', async (t) => {
    const first = roles(role('Cranes', 'Ada'), role('Docks', 'Ada'));
    const state = given(company(), first, roles(role('Docks', 'Ada')));
    t.strictSame(outcome(when(state, first)), ['role 1/1 enabled', '1 created, 0 disabled, 0 locked']);
  });
  t.test('disabled, not in the request: stays disabled, and nothing is said of it', async (t) => {
    const state = given(
      company(),
      roles(role('Cranes', 'Ada'), role('Docks', 'Ada')),
      roles(role('Docks', 'Ada')),
    );
    t.equal(outcome(when(state, roles(role('Docks', 'Ada')))), 'confirmed');
  });
  t.end();
});

t.test('portal user (docs/contract, "Portal user")', (t) => {
  t.test('absent: created active', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')));
    t.match([...state.managers.users.values()], exactly([{ number: 1, locked: false }]));
  });
  t.test('active, without an enabled role after the import: locked', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada'), role('Cranes', 'Bo'), role('Docks', 'Bo')));
    t.strictSame(outcome(when(state, roles(role('Cranes', 'Ada')))), [
      'user 2 locked',
      'role 1/2 disabled',
      'role 2/2 disabled',
      '0 created, 2 disabled, 1 locked',
    ]);
  });
  t.test('active, one of two roles left: stays active', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Bo'), role('Docks', 'Bo')));
    t.strictSame(outcomeOf(when(state, roles(role('Docks', 'Bo'))), 'user'), []);
  });
  t.test('locked, in the request: active', async (t) => {
    const both = roles(role('Cranes', 'Ada'), role('Cranes', 'Bo'));
    const state = given(company(), both, roles(role('Cranes', 'Ada')));
    t.strictSame(outcome(when(state, both)), [
      'user 2 unlocked',
      'role 1/2 enabled',
      '1 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('locked, in the request with another role: active', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')), roles());
    t.strictSame(outcomeOf(when(state, roles(role('Docks', 'Ada'))), 'user'), ['user 1 unlocked']);
  });
  t.test('locked, not in the request: stays locked and is not counted again', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada'), role('Cranes', 'Bo')), roles());
    t.strictSame(outcome(when(state, roles(role('Cranes', 'Ada')))), [
      'user 1 unlocked',
      'role 1/1 enabled',
      '1 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('no ManagerRoles at all: everybody is locked', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada'), role('Cranes', 'Bo')));
    t.strictSame(outcome(when(state, roles())), [
      'user 1 locked',
      'user 2 locked',
      'role 1/1 disabled',
      'role 1/2 disabled',
      '0 created, 2 disabled, 2 locked',
    ]);
    t.equal(outcome(when(company(), roles())), 'confirmed', 'nobody to lock');
  });
  t.end();
});

t.test('one user for an e-mail address', (t) => {
  t.test('whatever its case; it stays as first written', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada', { Email: 'Ada@Example.COM' })));
    t.equal(outcome(when(state, roles(role('Cranes', 'Ada', { Email: 'aDA@example.com' })))), 'confirmed');
    t.strictSame(outcomeOf(when(company(), roles(role('A', 'Σ', { Email: 'ΣΑΣ@example.com' }))), 'user'), [
      'user 1 created: ΣΑΣ@example.com, Σ Example',
    ]);
    const greek = given(company(), roles(role('A', 'Σ', { Email: 'ΣΑΣ@example.com' })));
    t.equal(outcome(when(greek, roles(role('A', 'Σ', { Email: 'σας@example.com' })))), 'confirmed');
  });
  t.test('the last entry gives the names, the first the address', async (t) => {
    const body = roles(
      role('Cranes', 'Ada'),
      role('Docks', 'Adele', { LastName: 'Other', Email: 'ADA@example.com' }),
    );
    t.strictSame(outcomeOf(when(company(), body), 'user'), ['user 1 created: ada@example.com, Adele Other']);
  });
  t.test('new names are told, and count nowhere', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')));
    const renamed = roles(role('Cranes', 'Ada', { LastName: 'Married' }));
    t.strictSame(outcome(when(state, renamed)), [
      'user 1 renamed: Ada Married',
      '0 created, 0 disabled, 0 locked',
    ]);
    t.equal(outcome(when(given(state, renamed), renamed)), 'confirmed');
    const swapped = roles(role('Cranes', 'Ada', { FirstName: 'AdaE', LastName: 'xample' }));
    t.not(outcome(when(state, swapped)), 'confirmed', 'where one name ends and the other begins matters');
  });
  t.test('names of a locked user who is not sent stay', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')), roles());
    t.strictSame(outcomeOf(when(state, roles(role('Cranes', 'Ada', { LastName: 'New' }))), 'user'), [
      'user 1 renamed: Ada New',
      'user 1 unlocked',
    ]);
  });
  t.end();
});

t.test('one role for a department and user', (t) => {
  t.test('repeated entries count once; a primary contact if any says so', async (t) => {
    const body = roles(
      role('Cranes', 'Ada'),
      role('CRANES', 'Ada', { DimensionName: 'DEPARTMENT', PrimaryContact: true }),
      role('cranes', 'Ada', { PrimaryContact: false }),
    );
    t.strictSame(outcome(when(company(), body)), [
      'user 1 created: ada@example.com, Ada Example',
      'department 1 created: department, Department, Cranes',
      'role 1/1 enabled, primary contact',
      '1 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('another primary contact is told, and counts nowhere', async (t) => {
    const contact = roles(role('Cranes', 'Ada', { PrimaryContact: true }));
    const none = roles(role('Cranes', 'Ada', { PrimaryContact: null }));
    const state = given(company(), contact);
    t.strictSame(outcome(when(state, none)), ['role 1/1 changed', '0 created, 0 disabled, 0 locked']);
    t.strictSame(outcome(when(given(state, none), contact)), [
      'role 1/1 changed, primary contact',
      '0 created, 0 disabled, 0 locked',
    ]);
  });
  t.test('two users of one department, two departments of one user', async (t) => {
    const body = roles(role('Cranes', 'Ada'), role('Docks', 'Ada'), role('Cranes', 'Bo'));
    t.strictSame(outcomeOf(when(company(), body), 'role'), [
      'role 1/1 enabled',
      'role 2/1 enabled',
      'role 1/2 enabled',
    ]);
  });
  t.end();
});

t.test('departments', (t) => {
  t.test('a missing one is created, of the type of its dimension; its name as written first', async (t) => {
    const of = (DimensionName: string, name: string) => role(name, 'Ada', { DimensionName });
    const body = roles(of('department', 'X'), of('DIVISION', 'X'), of('project', 'X'), of('Region', 'x'));
    t.strictSame(outcomeOf(when(company(), body), 'department'), [
      'department 1 created: department, Department, X',
      'department 2 created: division, Division, X',
      'department 3 created: project, Project, X',
      'department 4 created: division, Region, x',
    ]);
  });
  t.test('a known one is found whatever the case', async (t) => {
    const state = given(company(), roles(role('Ærø', 'Ada')));
    t.equal(outcome(when(state, roles(role('ÆRØ', 'Ada')))), 'confirmed');
    t.equal(outcomeOf(when(state, roles(role('Ærø ', 'Ada'))), 'department').length, 1, 'nothing is trimmed');
  });
  t.test('it stays without roles, and its number is never given again', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')), roles());
    t.strictSame(outcomeOf(when(state, roles(role('Docks', 'Bo'), role('Cranes', 'Bo'))), 'role'), [
      'role 2/2 enabled',
      'role 1/2 enabled',
    ]);
  });
  t.test('it keeps the name of its dimension when only the case is configured anew', async (t) => {
    const state = given(company(), roles(role('Cranes', 'Ada')));
    const renamed = company({ departmentDimensions: ['DEPARTMENT'] }, state.managers);
    t.equal(outcome(when(renamed, roles(role('Cranes', 'Ada')))), 'confirmed');
  });
  t.end();
});

t.test('integration comes before any look at the body', async (t) => {
  const refusal = 'Company integration is not allowed';
  t.equal(outcome(when(company({ integrationEnabled: false }), 'not JSON')), refusal);
  t.equal(outcome(when({ ...company(), settings: unconfigured() }, roles())), refusal);
});

t.test('a repeat of any import is confirmed', async (t) => {
  const body = {
    ManagerRoles: [role('Cranes', 'Ada', { PrimaryContact: true }), role('Docks', 'Bo')],
    DepartmentHierarchy: { Harbour: 'Coast', Coast: null },
  };
  const state = given(company(), roles(role('Old', 'Cy')), body);
  const decision = when(state, body);
  t.equal(outcome(decision), 'confirmed');
  t.strictSame(after(state, decision).managers, state.managers);
  if (decision.kind !== 'events') return;
  const [event] = decision.events;
  t.ok(checkEventData(event.name, event.data).ok);
  t.match(event.data, { created: 0, disabled: 0, locked: 0, total: 2, lastUser: 3, lastDepartment: 5 });
});

t.test('the published sample', async (t) => {
  const sample = readFileSync(new URL('../../../test/samples/manager-import.json', import.meta.url), 'utf8');
  const decision = when(company(), sample);
  t.strictSame(outcome(decision), [
    'user 1 created: jens.jensen@example.com, Jens Jensen',
    'user 2 created: mette.lund@example.com, Mette Lund',
    'department 1 created: division, Division, North',
    'department 2 created: department, Department, 2551',
    'department 3 created: division, Division, Scandinavia',
    'role 1/1 enabled, primary contact',
    'role 2/2 enabled',
    'parent of 1 is 3',
    '2 created, 0 disabled, 0 locked',
  ]);
  if (decision.kind !== 'events') return;
  const [event] = decision.events;
  t.ok(checkEventData(event.name, event.data).ok);
  t.equal(resultText(event.data), 'Successfully created 2, disabled 0 roles and locked 0 users.');
});

t.test('settings of the moment decide', async (t) => {
  const body = roles(role('Cranes', 'Ada'));
  const state = given(company(), body);
  const renamed = { ...company({ departmentDimensions: ['Unit'] }), managers: state.managers };
  t.match(outcome(when(renamed, body)), /^ManagerRoles\[0\]\.DimensionName must be one of/);
  t.equal(settings.departmentDimensions.length, 1);
});
