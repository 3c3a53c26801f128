import assert from 'node:assert/strict';
import { OpenInvitations, readInvitations, readRows, type FindRows } from '@rollcall/application';
import type { CompanyState } from '@rollcall/domain';
import { projections, rebuildInto } from '@rollcall/projector';
import { scaled } from '@rollcall/employee-lists/testing';
import fc from 'fast-check';
import t from 'tap';
import { company, configure, request, stateOf, type Company } from '../application/imports.support.js';
import { undo, undone } from '../application/undo.support.js';
import { ModelReadModels } from '../support/model-read-models.js';
import { openInvitations } from '../support/open-invitations.js';
import { orderedRows } from '../support/ordered-rows.js';
import { scale } from '../support/scale.js';
import { scoped } from '../support/rig.js';
import { shown } from '../support/shown.js';
import { arbitraryLeads, managersBody } from './managers.support.js';

const names = ['Ada', 'Bea'];

/** A person, under one of two EmployeeIDs; the address is the person's own. */
const person = fc.record({
  who: fc.integer({ min: 1, max: 6 }),
  isRenamed: fc.boolean(),
  name: fc.constantFrom(...names),
  dated: fc.boolean(),
});
const people = fc.uniqueArray(person, { selector: ({ who }) => who, maxLength: 6 });

const leads = arbitraryLeads.filter(({ roles }) => roles.length < 200);

const importing = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('employees' as const), people, keeps: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('managers' as const), leads }) },
);
const step = fc.oneof(
  { weight: 7, arbitrary: importing },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('undo' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('settings' as const), invites: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Change {
  readonly operation: string;
  readonly before: CompanyState;
  readonly after: CompanyState;
  /** By number, before it. */
  readonly emails: ReadonlyMap<number, string>;
}

/** A company whose every change is remembered. */
class History {
  readonly changes: Change[] = [];
  readonly store = new ModelReadModels();
  readonly #on: Company;

  constructor(on: Company) {
    this.#on = on;
  }

  async project(): Promise<void> {
    const last = await this.#on.log.lastPosition();
    if (last !== undefined) await rebuildInto(this.store, { log: this.#on.log, projections }, last);
  }

  async run(step: Step): Promise<void> {
    const [before, emails] = [await stateOf(this.#on), await this.emails()];
    const operation = await this.#carriedOut(step);
    const after = await stateOf(this.#on);
    const isChange = JSON.stringify(before.revisions) !== JSON.stringify(after.revisions);
    if (operation !== undefined && isChange) this.changes.push({ operation, before, after, emails });
  }

  async #carriedOut(step: Step): Promise<string | undefined> {
    switch (step.what) {
      case 'settings':
        await configure(this.#on, { autoInvite: step.invites });
        return undefined;
      case 'undo':
        return this.undo(this.changes[step.which % Math.max(1, this.changes.length)]);
      case 'employees':
      case 'managers':
        return this.#import(step);
      default:
        return step satisfies never;
    }
  }

  async undo(change: Change | undefined): Promise<string | undefined> {
    if (change === undefined) return undefined;
    return undone(await undo(this.#on, change.operation, { force: true })).operation;
  }

  async #import(step: Extract<Step, { what: 'employees' | 'managers' }>): Promise<string> {
    await this.project();
    const findRows: FindRows = async (_kind, companyId, numbers) =>
      (await readRows(this.store, companyId, numbers)).map(
        (row) => row && (JSON.parse(Buffer.from(row).toString()) as Record<string, unknown>),
      );
    const call =
      step.what === 'managers'
        ? request('managers', managersBody(step.leads))
        : request('employees', step.people.map(employee), { keepsRenames: step.keeps });
    const outcome = await this.#on.engine({ findRows }).accept(call);
    assert.ok(['done', 'refused'].includes(outcome.kind), outcome.kind);
    return call.context.operationId;
  }

  /** What readers are shown: employees with numbers and dates, and invitations of those present. */
  async seen(): Promise<unknown> {
    await this.project();
    const employees: unknown[] = [];
    for await (const rows of orderedRows(this.store, { companyId: 7 }))
      for (const { number, row, date } of rows) employees.push([number, Buffer.from(row).toString(), date]);
    const invitations: unknown[] = [];
    for await (const one of readInvitations(this.store, { companyId: 7, now: this.#on.clock.now() }))
      if (one.State !== 'Cancelled') invitations.push(one);
    return { employees, invitations };
  }

  async emails(): Promise<ReadonlyMap<number, string>> {
    await this.project();
    const emails = new Map<number, string>();
    for await (const rows of orderedRows(this.store, { companyId: 7 }))
      for (const { number, row } of rows)
        emails.set(number, (JSON.parse(Buffer.from(row).toString()) as { Email: string }).Email);
    return emails;
  }

  state(): Promise<CompanyState> {
    return stateOf(this.#on);
  }

  /** Read models that were made step by step are as those made at once. */
  async isAsReplayed(): Promise<void> {
    await this.project();
    const again = new ModelReadModels();
    const last = await this.#on.log.lastPosition();
    await rebuildInto(again, { log: this.#on.log, projections }, last ?? 0n);
    assert.deepEqual(await shown(this.store), await shown(again));
  }
}

const employee = ({
  who,
  isRenamed,
  name,
  dated,
}: typeof person extends fc.Arbitrary<infer P> ? P : never) => ({
  EmployeeID: `${isRenamed ? 'X' : 'E'}-${who}`,
  Firstname: name,
  Lastname: 'Example',
  Email: `e${who}@example.com`,
  EmploymentStatus: 0,
  ...(dated ? { InvitationDate: `2026-12-0${who}T08:00:00Z` } : {}),
});

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

async function inHistory(steps: readonly Step[], work: (history: History) => Promise<void>): Promise<void> {
  await scoped(async (scope) => {
    const settings = { divisionDimensions: ['Area'], hierarchyEnabled: true };
    const on = await company(scope, { ...settings, departmentDimensions: ['Department'] });
    const history = new History(on);
    for (const one of steps) await history.run(one);
    await work(history);
    await history.isAsReplayed();
  });
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
    t.match(await due(), [{ number: 1 }]);
    await history.run({ what: 'undo', which: 1 });
    t.match(await due(), [{ number: 1 }, { number: 2, due: Date.parse('2026-12-02T08:00:00Z') }]);
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
