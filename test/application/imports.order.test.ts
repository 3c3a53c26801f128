import assert from 'node:assert/strict';
import {
  cancelQueuedImport,
  CompanyStateCache,
  type ImportEngine,
  type ImportOutcome,
  type RecordedEvent,
} from '@rollcall/application';
import { scoped } from '../support/rig.js';
import type { ImportKind } from '@rollcall/contracts';
import fc from 'fast-check';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import {
  company,
  dataOf,
  people,
  recorded,
  request,
  roles,
  runAll,
  stateOf,
  stream,
  type Company,
} from './imports.support.js';
import { scale, seed } from '../support/scale.js';

t.comment(`TEST_SEED=${seed}`);

/** A call, a run or a cancellation, each in one of three processes. */
const others = {
  process: fc.nat({ max: 2 }),
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 5 }),
  userId: fc.constantFrom(3, 4),
};
const stepOf = (what: ImportKind | 'run' | 'cancel', ...prefersAsync: readonly boolean[]) =>
  fc.record({ ...others, what: fc.constant(what), prefersAsync: fc.constantFrom(...prefersAsync) });
/** Employees mostly wait, and managers mostly do not: so some go ahead. */
const step = fc.oneof(
  { weight: 6, arbitrary: stepOf('employees', true, true, true, false) },
  { weight: 8, arbitrary: stepOf('managers', true, ...Array<boolean>(7).fill(false)) },
  { weight: 2, arbitrary: stepOf('run', false) },
  { weight: 1, arbitrary: stepOf('cancel', false) },
);
/** The steps of a wave happen at once, the waves one after the other. */
const waves = fc.array(fc.array(step, { minLength: 2, maxLength: 6, size: 'max' }), {
  minLength: 4,
  maxLength: 10,
  size: 'max',
});
type Scope = Parameters<typeof company>[0];
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Sent {
  readonly step: Step;
  readonly outcome: ImportOutcome;
}

async function cancel({ log, clock, digester, snapshots }: Company, operationId: string): Promise<void> {
  const states = new CompanyStateCache({ snapshots, digester, cacheBytes: 1_000_000 });
  await cancelQueuedImport({ log, clock, digester, states }, callContext(), { companyId: 7, operationId });
}

async function take(place: Company, engines: readonly ImportEngine[], next: Step): Promise<Sent[]> {
  const engine = engines[next.process];
  if (!engine) throw new Error('no such process');
  const { what, ids, prefersAsync, userId } = next;
  if (what === 'run') return engine.runOldest(7).then(() => []);
  if (what === 'cancel') {
    const [oldest] = (await stateOf(place)).pending;
    if (oldest) await cancel(place, oldest.operationId);
    return [];
  }
  const value = what === 'employees' ? people(...ids) : roles(...ids);
  const outcome = await engine.accept(request(what, value, { prefersAsync, context: { userId } }));
  return [{ step: next, outcome }];
}

const operationOf = (event: RecordedEvent): string => String(dataOf(event)['operationId']);
const kinds: Readonly<Record<string, ImportKind>> = {
  EmployeeSetReplaced: 'employees',
  EmployeeSetConfirmed: 'employees',
  ManagerRolesImported: 'managers',
  ManagerRolesConfirmed: 'managers',
};

interface Pending {
  readonly id: string;
  readonly kind: ImportKind;
}

/** Queued ones end in the order of acceptance, and no call overtakes one that holds it back. Gives how many went ahead. */
function assertOrder(events: readonly RecordedEvent[], users: ReadonlyMap<string, number>): number {
  let pending: readonly Pending[] = [];
  let ahead = 0;
  for (const event of events) {
    const id = operationOf(event);
    const kind = kinds[event.type];
    if (event.type === 'ImportQueued')
      pending = [...pending, { id, kind: dataOf(event)['kind'] as ImportKind }];
    if (kind !== undefined && assertTurn({ id, kind }, pending, users)) ahead += 1;
    if (event.type !== 'ImportQueued') pending = pending.filter((each) => each.id !== id);
  }
  return ahead;
}

/** Whether it went ahead of others. */
function assertTurn(own: Pending, pending: readonly Pending[], users: ReadonlyMap<string, number>): boolean {
  if (pending.some(({ id }) => id === own.id)) {
    assert.equal(pending[0]?.id, own.id, 'the oldest first');
    return false;
  }
  for (const { id, kind } of pending) {
    const mayGoAhead = own.kind === 'managers' && kind === 'employees' && users.get(id) !== users.get(own.id);
    assert.ok(mayGoAhead, 'held back');
  }
  return pending.length > 0;
}

/** The same lists, one after the other, in the order in which they ended. */
async function model(t: Scope, lists: readonly (readonly [ImportKind, readonly number[]])[]) {
  const place = await company(t);
  const counts: unknown[] = [];
  for (const [kind, ids] of lists) {
    const value = kind === 'employees' ? people(...ids) : roles(...ids);
    const outcome = await place.engine().accept(request(kind, value));
    counts.push(outcome.kind === 'done' ? outcome.counts : outcome);
  }
  return { counts, state: await stateOf(place) };
}

const countsIn = (event: RecordedEvent): unknown => {
  const { inserted, updated, removed, created, locked, disabled } = dataOf(event);
  return event.type.startsWith('Employee')
    ? { inserted, updated, removed }
    : { inserted: created, updated: locked, removed: disabled };
};

async function assertSameAsOneAfterTheOther(t: Scope, history: readonly Step[][]) {
  const place = await company(t);
  const engines = [1, 2, 3].map(() => place.engine());
  const sent: Sent[] = [];
  for (const wave of history)
    sent.push(...(await Promise.all(wave.map((next) => take(place, engines, next)))).flat());
  await Promise.all(engines.map(runAll));
  const byId = new Map(
    sent.flatMap(({ step: own, outcome }) =>
      'operationId' in outcome ? [[outcome.operationId, own] as const] : [],
    ),
  );
  assert.equal(byId.size, sent.length, 'no call is lost');
  const events = await recorded(place.log, stream);
  const ahead = assertOrder(events, new Map([...byId].map(([id, { userId }]) => [id, userId])));
  const ends = events.filter(({ type }) => type in kinds);
  const cancelled = events.filter(({ type }) => type === 'ImportCancelled');
  const ended = [...ends, ...cancelled].map(operationOf);
  assert.deepEqual(ended.sort(), [...byId.keys()].sort(), 'each has one end');
  const lists = ends.map((event) => {
    const own = byId.get(operationOf(event));
    return [kinds[event.type] ?? 'employees', own?.ids ?? []] as const;
  });
  const expected = await model(t, lists);
  assert.deepEqual(ends.map(countsIn), expected.counts);
  const state = await stateOf(place);
  assert.equal(state.employees.setDigest, expected.state.employees.setDigest);
  assert.deepEqual(state.managers, expected.state.managers);
  assert.deepEqual(state.pending, []);
  return { ahead, cancelled: cancelled.length };
}

t.test('whoever runs them, in whatever order things happen: the same as one after the other', async (t) => {
  const numRuns = Math.max(25, Math.ceil(150 * scale));
  const seen = { ahead: 0, cancelled: 0 };
  const property = fc.asyncProperty(waves, async (history) => {
    const { ahead, cancelled } = await scoped((scope) => assertSameAsOneAfterTheOther(scope, history));
    seen.ahead += ahead;
    seen.cancelled += cancelled;
  });
  await fc.assert(property, { numRuns, seed });
  t.comment(JSON.stringify(seen));
  t.ok(seen.ahead >= numRuns / 15, `${seen.ahead} went ahead`);
  t.ok(seen.cancelled >= numRuns / 10, `${seen.cancelled} were cancelled`);
});
