import assert from 'node:assert/strict';
import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { after, company, given, role } from './managers.testing.js';
import type { ManagerImportState } from './decide.js';
import { undoManagerRoles, type ManagerRolesUndo, type UndoManagerRoles } from './undo.js';

const body = (ManagerRoles: readonly object[], hierarchy: Record<string, string | null> | null = null) => ({
  ManagerRoles,
  DepartmentHierarchy: hierarchy,
});

/** The undo of the second of these bodies, once all were carried out. */
function when(bodies: readonly object[], more: Partial<UndoManagerRoles> = {}) {
  const stateAfter = (count: number): ManagerImportState => given(company(), ...bodies.slice(0, count));
  const command = {
    operationId: '019aa2f0-5c00-7000-8000-000000000001',
    bodySha256: '0'.repeat(64),
    before: stateAfter(1).managers,
    after: stateAfter(2).managers,
    force: false,
    namesOf: () => ({ FirstName: 'Ada', LastName: 'Example' }),
    ...more,
  };
  const now = stateAfter(bodies.length);
  return { command, now, before: stateAfter(1), undo: undoManagerRoles(command, now.managers) };
}

function restored(now: ManagerImportState, undo: ManagerRolesUndo): ManagerImportState {
  assert.ok(undo.kind === 'events');
  return after(now, { kind: 'events', events: [undo.event] });
}

const first = body([role('Cranes', 'Ada'), role('Docks', 'Bo')], { North: 'World' });
const second = body([role('Cranes', 'Ada', { PrimaryContact: true }), role('Docks', 'Cy')], {
  North: null,
  South: 'World',
});
const withEve = (one: typeof first) => ({ ...one, ManagerRoles: [...one.ManagerRoles, role('Old', 'Eve')] });

tap.test('given no later import: roles, locks and hierarchy are as before, and who came is locked', (t) => {
  const { now, before, undo } = when([first, second]);
  t.match(undo, {
    kind: 'events',
    event: {
      name: 'ManagerRolesImported',
      data: {
        created: 1,
        disabled: 1,
        locked: 1,
        usersRenamed: { length: 0 },
        usersUnlocked: exactly([2]),
        usersLocked: exactly([3]),
        parentsRemoved: exactly([5]),
        lastUser: 3,
      },
    },
  });
  const { managers } = restored(now, undo);
  t.same(managers.roles, before.managers.roles);
  t.same(managers.hierarchy, before.managers.hierarchy);
  t.same(
    [...managers.users.values()].map(({ locked }) => locked),
    [false, false, true],
  );
  t.end();
});

tap.test(
  'given a later import: what it touched is refused, and left alone by force, whom it locked too',
  (t) => {
    const third = body([
      role('Cranes', 'Ada', { PrimaryContact: true }),
      role('Docks', 'Cy', { PrimaryContact: true }),
    ]);
    const all = [withEve(first), withEve(second), third];
    t.match(when(all).undo, { kind: 'refused', later: { roles: exactly(['2:4']), users: { length: 0 } } });
    const { now, undo } = when(all, { force: true });
    t.match(undo, {
      later: { roles: exactly(['2:4']), divisions: { length: 0 } },
      event: { data: { usersUnlocked: exactly([2]), usersLocked: { length: 0 } } },
    });
    t.same([...restored(now, undo).managers.roles.keys()].sort(), ['1:1', '2:2', '2:4']);
    t.end();
  },
);

tap.test('given a later import that has put it right: nothing is undone, and its own changes stay', (t) => {
  const third = body([role('Cranes', 'Ada'), role('Docks', 'Bo'), role('New', 'Di')], { North: 'World' });
  t.match(when([withEve(first), withEve(second), third]).undo, {
    later: { roles: { length: 0 }, users: { length: 0 }, divisions: { length: 0 } },
    event: {
      name: 'ManagerRolesConfirmed',
      data: { operationId: /^019aa2f0/, bodySha256: /^0{64}$/, total: 3, locked: 0 },
    },
  });
  t.end();
});

tap.test('names are as before, unless they were changed again', (t) => {
  const renamed = (LastName: string) => body([role('Cranes', 'Ada', { LastName })]);
  const { now, before, undo } = when([renamed('Example'), renamed('Other')]);
  t.match(undo, {
    event: { data: { usersRenamed: exactly([{ number: 1, values: { LastName: 'Example' } }]) } },
  });
  t.same(restored(now, undo).managers, before.managers);
  const again = when([renamed('Example'), renamed('Other'), renamed('Third')]).undo;
  t.match(again, { kind: 'refused', later: { users: exactly([1]) } });
  t.end();
});

tap.test('parents that would be a circle together are all left alone', (t) => {
  const ofAll = [role('Cranes', 'Ada')];
  const bodies = [
    { North: 'South', West: 'South' },
    { North: null, West: null },
    { South: 'North', West: 'North' },
  ].map((one) => body(ofAll, one));
  const { undo } = when(bodies);
  t.match(undo, { kind: 'refused', later: { divisions: exactly([2, 4]) } });
  t.match(when(bodies, { force: true }).undo, { event: { name: 'ManagerRolesConfirmed' } });
  t.end();
});

tap.test('a chain of 30,000 parents is restored in linear time', (t) => {
  const chain = new Map(Array.from({ length: 30_000 }, (_, at) => [at + 1, at + 2]));
  const none = company().managers;
  const { command } = when([first, second]);
  const before = { ...none, hierarchy: chain };
  const undo = undoManagerRoles({ ...command, before, after: none }, none);
  t.match(undo, { event: { data: { hierarchy: { length: 30_000 } } } });
  t.end();
});
