import assert from 'node:assert/strict';
import { OpenInvitations } from '@rollcall/application';
import type { CompanyState } from '@rollcall/domain';
import { scaled } from '@rollcall/employee-lists/testing';
import fc from 'fast-check';
import t from 'tap';
import { company } from '../application/imports.support.js';
import { openInvitations } from '../support/open-invitations.js';
import { scoped } from '../support/rig.js';
import { scale } from '../support/scale.js';
import { History, importing, inHistory, step, type Step } from './undo.support.js';
import { exactly } from '../support/exactly.js';

/** By number: EmployeeID and values, as digests. */
function setOf({ employees: { count, numbers, ids, digests } }: CompanyState): Map<number, string> {
  const four = (words: Uint32Array, at: number): string => words.subarray(at * 4, at * 4 + 4).join();
  return new Map(
    Array.from({ length: count }, (_, at) => [
      numbers[at] ?? 0,
      `${four(ids.words, at)}/${four(digests, at)}`,
    ]),
  );
}

/** Roles, names and parents, by what they are; users that were not known before are left out. */
function leadersOf({ managers }: CompanyState, { managers: { users } }: CompanyState): Map<string, string> {
  const known = [...managers.users].filter(([id]) => users.has(id));
  return new Map([
    ...[...managers.roles].map(([key, role]) => [`role ${key}`, String(role.primaryContact)] as const),
    ...known.map(([id, { digest }]) => [`user ${id}`, digest] as const),
    ...[...managers.hierarchy].map(([one, parent]) => [`division ${one}`, String(parent)] as const),
  ]);
}

const locks = ({ managers: { users } }: CompanyState, ids: Iterable<string>) =>
  [...ids].map((id) => users.get(id)?.locked);

const sorted = <K, V>(map: ReadonlyMap<K, V>): unknown => [...map].map((entry) => entry.join()).sort();

function isSame(state: CompanyState, before: CompanyState): void {
  assert.equal(state.employees.setDigest, before.employees.setDigest);
  assert.deepEqual(sorted(setOf(state)), sorted(setOf(before)));
  assert.deepEqual(sorted(leadersOf(state, before)), sorted(leadersOf(before, before)));
  assert.deepEqual(locks(state, before.managers.users.keys()), locks(before, before.managers.users.keys()));
  const created = [...state.managers.users.values()].filter(({ locked }) => !locked).length;
  assert.equal(created, [...before.managers.users.values()].filter(({ locked }) => !locked).length);
}

t.test('who was away when an invitation was due gets it after the undo', async (t) => {
  await scoped(async (scope) => {
    const on = await company(scope);
    const [open, history] = [new OpenInvitations(), new History(on)];
    const due = async (): Promise<unknown> => {
      await history.project();
      return openInvitations(history.store, open, { now: Date.parse('2026-12-24T00:00:00Z') });
    };
    const both = [1, 2].map((who) => ({ who, isRenamed: false, name: 'Ada', dated: true }));
    await history.run({ what: 'employees', people: both, keeps: false });
    await history.run({ what: 'employees', people: both.slice(0, 1), keeps: false });
    t.match(await due(), exactly([{ number: 1 }]));
    await history.run({ what: 'undo', which: 1 });
    t.match(await due(), exactly([{ number: 1 }, { number: 2, due: Date.parse('2026-12-02T08:00:00Z') }]));
  });
});

/** In full at TEST_SCALE=1. */
const runs = scale < 1 ? 400 : 1_000;
const histories = fc.array(step, { maxLength: 7 });

t.setTimeout(1_200_000);

t.test(
  'property: undoing the last import gives the state before it, and undoing that the state behind',
  (t) => {
    return fc.assert(
      fc.asyncProperty(histories, importing, (steps, last) =>
        inHistory(steps, async (history) => {
          const [seen, count] = [await history.seen(), history.changes.length];
          await history.run(last);
          const change = history.changes[count];
          if (change === undefined) return;
          const seenAfter = await history.seen();
          await history.run({ what: 'undo', which: count });
          isSame(await history.state(), change.before);
          assert.deepEqual(await history.seen(), seen);
          // A department that is all that was created stays, and nothing is undone.
          if (history.changes.length === count + 1) return;
          await history.run({ what: 'undo', which: count + 1 });
          isSame(await history.state(), change.after);
          assert.deepEqual(await history.seen(), seenAfter);
        }),
      ),
      scaled(runs, (text) => t.comment(text)),
    );
  },
);

type Maps<K> = Readonly<Record<'before' | 'after' | 'now' | 'result', ReadonlyMap<K, string>>>;

/** What is as the import left it is as before it, unless it may stay; the rest is as it was. */
function isUndoneAlone<K>({ before, after, now, result }: Maps<K>, mayStay: (key: K) => boolean): void {
  for (const key of new Set([before, after, now, result].flatMap((map) => [...map.keys()]))) {
    const isOpen: boolean = before.get(key) !== after.get(key) && now.get(key) === after.get(key);
    const isLeft: boolean = !isOpen || (mayStay(key) && result.get(key) === now.get(key));
    assert.equal(result.get(key), isLeft ? now.get(key) : before.get(key), String(key));
  }
}

const idIn = (member = ''): string => member.split('/')[0] ?? '';

t.test('who is locked stays so where an undo gives the old name back', () => {
  const leading = (lastName: string, roles: readonly (readonly [string, string])[]): Step => ({
    what: 'managers',
    leads: { roles, lastName, contact: false, hierarchy: null },
  });
  const roles = [['Cranes', 'ada@example.com']] as const;
  const steps = [leading('Example', roles), leading('Prøve', roles), leading('Prøve', [])];
  return inHistory([...steps, { what: 'undo', which: 1 }], async (history) => {
    const users = [...(await history.state()).managers.users.values()];
    assert.deepEqual([history.changes.length, users.map(({ locked }) => locked)], [4, [true]]);
  });
});

t.test('property: undoing an earlier import changes nothing that a later one has touched', (t) => {
  return fc.assert(
    fc.asyncProperty(histories, fc.nat(20), (steps, which) =>
      inHistory(steps, async (history) => {
        const change = history.changes[which % Math.max(1, history.changes.length)];
        if (change === undefined) return;
        const now = await history.state();
        await history.undo(change);
        const result = await history.state();
        const maps = <K>(of: (state: CompanyState) => ReadonlyMap<K, string>): Maps<K> => ({
          before: of(change.before),
          after: of(change.after),
          now: of(now),
          result: of(result),
        });
        const sets = maps(setOf);
        const ids = [...sets.result.values()].map(idIn);
        const emails = [...(await history.emails()).values()];
        for (const unique of [ids, emails]) assert.equal(new Set(unique).size, unique.length);
        isUndoneAlone(sets, (number) => {
          const [id, email] = [idIn(sets.before.get(number)), change.emails.get(number)];
          return ids.includes(id) || emails.includes(email ?? '');
        });
        const leaders = maps((state) => leadersOf(state, change.before));
        isUndoneAlone(leaders, (key) => key.startsWith('division'));
        assert.equal(result.employees.lastNumber, now.employees.lastNumber);
      }),
    ),
    scaled(runs, (text) => t.comment(text)),
  );
});
