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

/** A call, a run or a cancellation; all of them happen at once, each in one of three processes. */
const step = fc.record({
  what: fc.constantFrom<ImportKind | 'run' | 'cancel'>(
    'employees',
    'employees',
    'managers',
    'managers',
    'run',
    'run',
    'run',
    'cancel',
  ),
  process: fc.nat({ max: 2 }),
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 5 }),
  prefersAsync: fc.boolean(),
  userId: fc.constantFrom(3, 4),
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
    if (oldest && ids.length === 0) await cancel(place, oldest.operationId);
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

/** Queued ones end in the order of acceptance, and no call overtakes one that holds it back. */
function assertOrder(events: readonly RecordedEvent[], users: ReadonlyMap<string, number>): void {
  let pending: readonly Pending[] = [];
  for (const event of events) {
    const id = operationOf(event);
    const kind = kinds[event.type];
    if (event.type === 'ImportQueued')
      pending = [...pending, { id, kind: dataOf(event)['kind'] as ImportKind }];
    if (kind !== undefined) assertTurn({ id, kind }, pending, users);
    if (event.type !== 'ImportQueued') pending = pending.filter((each) => each.id !== id);
  }
}

function assertTurn(own: Pending, pending: readonly Pending[], users: ReadonlyMap<string, number>): void {
  if (pending.some(({ id }) => id === own.id))
    return assert.equal(pending[0]?.id, own.id, 'the oldest first');
  for (const { id, kind } of pending) {
    const mayGoAhead = own.kind === 'managers' && kind === 'employees' && users.get(id) !== users.get(own.id);
    assert.ok(mayGoAhead, 'held back');
  }
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

async function assertSameAsOneAfterTheOther(t: Scope, steps: readonly Step[]): Promise<void> {
  const place = await company(t);
  const engines = [1, 2, 3].map(() => place.engine());
  const sent = (await Promise.all(steps.map((next) => take(place, engines, next)))).flat();
  await Promise.all(engines.map(runAll));
  const byId = new Map(
    sent.flatMap(({ step: own, outcome }) =>
      'operationId' in outcome ? [[outcome.operationId, own] as const] : [],
    ),
  );
  assert.equal(byId.size, sent.length, 'no call is lost');
  const events = await recorded(place.log, stream);
  assertOrder(events, new Map([...byId].map(([id, { userId }]) => [id, userId])));
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
}

t.test('whoever runs them, in whatever order things happen: the same as one after the other', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) =>
      scoped((scope) => assertSameAsOneAfterTheOther(scope, steps)),
    ),
    { numRuns: Math.ceil(150 * scale), seed },
  );
  t.pass('all of them');
});
