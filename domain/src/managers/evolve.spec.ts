import { SetMismatch } from '@rollcall/employee-lists/set';
import { exactly } from '@rollcall/employee-lists/testing';
import { evolve, decodeState, type EncodedManagerRoles, encodeState, initialState } from './evolve.js';
import { command, company, given, role, roles, when } from './managers.testing.js';
import { rehearse } from './decide.js';

import t from 'tap';

t.test('a rehearsal', (t) => {
  t.test('tells the counts, who would be locked and unlocked, and what is ignored', async (t) => {
    const state = given(
      company(),
      roles(role('Cranes', 'Ada'), role('Cranes', 'Bo')),
      roles(role('Cranes', 'Ada')),
    );
    const body = {
      ManagerRoles: [
        role('Cranes', 'Bo', { Title: 1, title: 2, Guid: 3 }),
        role('Docks', 'Bo', { Title: 1 }),
      ],
      Valid: true,
    };
    const rehearsed = rehearse(command(body), state);
    if (rehearsed.kind === 'refused') throw new Error('refused');
    const { event, ...rehearsal } = rehearsed.rehearsal;
    t.match(event, { name: 'ManagerRolesImported', data: { usersUnlocked: exactly([2]) } });
    t.strictSame(rehearsal, {
      ...{ created: 2, disabled: 1, locked: 1, usersLocked: [1], usersUnlocked: [2] },
      ignoredFields: { Valid: 1, Title: 2, title: 1 },
    });
  });
  t.test('of what changes nothing, and of what is refused', async (t) => {
    t.match(rehearse(command(roles()), company()), {
      kind: 'rehearsed',
      rehearsal: { created: 0, usersLocked: { length: 0 }, usersUnlocked: { length: 0 } },
    });
    t.match(rehearse(command('x'), company()), { kind: 'refused', rejection: { reason: 'invalid' } });
  });
  t.end();
});

t.test('the state', (t) => {
  const state = given(
    company(),
    { ManagerRoles: [role('Cranes', 'Ada'), role('Docks', 'Bo')], DepartmentHierarchy: { Harbour: 'Coast' } },
    roles(role('Docks', 'Ada', { PrimaryContact: true })),
  ).managers;
  t.test('survives a snapshot', async (t) => {
    t.strictSame(decodeState(JSON.parse(JSON.stringify(encodeState(state))) as EncodedManagerRoles), state);
    t.strictSame(decodeState(encodeState(initialState())), initialState());
  });
  t.test('holds nothing personal', async (t) => {
    t.notMatch(JSON.stringify(encodeState(state)), /ada|bo@|Example/i);
  });
  t.test('refuses an event that does not fit it', async (t) => {
    const decision = when({ ...company(), managers: state }, roles(role('Docks', 'Bo'), role('New', 'Cy')));
    const event = decision.kind === 'events' ? decision.events[0] : undefined;
    if (event?.name !== 'ManagerRolesImported') throw new Error('nothing imported');
    const { name, data } = event;
    const again = evolve(state, event);
    t.throws(() => evolve(again, event), SetMismatch, 'created twice');
    t.throws(() => evolve(initialState(), event), SetMismatch, 'a user who is not known');
    t.throws(() => evolve(state, { name, data: { ...data, total: 17 } }), SetMismatch, 'another total');
    t.throws(
      () => evolve(again, { name, data: { ...data, usersCreated: [] } }),
      /department \d was created before/,
    );
    const { usersCreated, departmentsCreated } = data;
    const used = { ...state, lastUser: usersCreated[0]?.number ?? 0 };
    t.throws(
      () => evolve(used, event),
      /user \d was created before/,
      'the last number, of one who is unknown',
    );
    const taken = { ...state, lastDepartment: departmentsCreated[0]?.number ?? 0 };
    t.throws(() => evolve(taken, event), /department \d was created before/);
  });
  t.end();
});
