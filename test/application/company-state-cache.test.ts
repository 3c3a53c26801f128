import {
  companyFold,
  CompanyStateCache,
  foldStream,
  type ImportEngine,
  INITIAL_HEAD,
  loadEvent,
  loadState,
  LogCorrupt,
  ReadModelsUnavailable,
  SmallCompanyStates,
  type StateSnapshot,
} from '@rollcall/application';

import assert from 'node:assert/strict';

import type { DomainEvent } from '@rollcall/contracts';
import { Digester } from '@rollcall/employee-lists';

import fc from 'fast-check';
import t from 'tap';
import { generatedEmployee, generatedEmployees } from '../generators/employees.js';
import { cancelled } from '../projector/import-events.support.js';
import { append as appendTo, type Rig } from '../projector/projector.support.js';
import { request, roles } from './imports.support.js';
import {
  company,
  digester,
  fold,
  foldedBeside,
  noSnapshots,
  sameState,
  snapshotAt,
  stateAt,
  statesOf,
  stream,
} from './company-states.support.js';
import { countedLog } from '../support/counted-log.js';
import { scale, seed } from '../support/scale.js';

t.comment(`TEST_SEED=${seed}`);

/** What a set comes to that is folded while its event is read is what the event is folded to. */
async function besideEqualsBehind({ log }: Rig): Promise<void> {
  for await (const recorded of log.readStream(stream)) {
    const event = loadEvent(log, recorded);
    if (event.name !== 'EmployeeSetReplaced') continue;
    const before = await stateAt(log, event.revision - 1);
    const { state, head } = await stateAt(log, event.revision);
    const after = (await foldedBeside(before, event)).after;
    assert.ok(after);
    sameState(after.state, state);
    assert.deepEqual(after.head, head);
  }
}

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 });
/** What happens to a company: a call of either kind, with a key or without, at once or queued; a run; a cancellation. */
const happening = fc.oneof(
  fc.record({
    what: fc.constantFrom('employees' as const, 'managers' as const),
    ids,
    prefersAsync: fc.boolean(),
    key: fc.constantFrom(undefined, 'k', 'l'),
  }),
  fc.constantFrom({ what: 'run' } as const, { what: 'run' } as const, { what: 'cancel' } as const),
  fc.record({ what: fc.constant('hold' as const), held: fc.boolean() }),
);
type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

const bodyOf = (kind: 'employees' | 'managers', numbers: readonly number[]): unknown =>
  kind === 'managers'
    ? roles(...numbers)
    : numbers.map((id, at) => ({ ...generatedEmployee(id), JobTitle: `${at % 3}` }));

async function happens(place: Rig, engine: ImportEngine, next: Happening): Promise<void> {
  switch (next.what) {
    case 'employees':
    case 'managers': {
      const { what, ids: numbers, key, ...options } = next;
      const call = { ...options, ...(key !== undefined && { key }) };
      await engine.accept(request(what, bodyOf(what, numbers), call));
      return;
    }
    case 'run':
      await engine.runOldest(7);
      return;
    case 'cancel': {
      const [oldest] = (await foldStream(place.log, stream, fold)).state.pending;
      if (oldest) await appendTo(place, stream, cancelled(oldest.operationId, oldest.kind));
      return;
    }
    case 'hold':
      await appendTo(place, stream, held(next.held));
      return;
    default:
      return next satisfies never;
  }
}

const held = (isHeld: boolean): DomainEvent => ({
  name: isHeld ? 'InvitationsHeld' : 'InvitationsReleased',
  data: { reason: null },
});

t.test('any snapshot plus its tail equals a fold from the beginning', async (t) => {
  const history = fc.array(happening, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, async (happenings) => {
      const { place } = await company(t);
      const kept = statesOf(noSnapshots);
      const engine = place.engine({ states: kept });
      for (const next of happenings) await happens(place, engine, next);
      const whole = await foldStream(place.log, stream, fold);
      for (let revision = 0; revision <= Number(whole.head.revision); revision++) {
        const snapshot = await snapshotAt(place, revision);
        const states = statesOf({ newest: () => Promise.resolve(snapshot) });
        const snapshotted = await states.snapshot(stream, -1);
        assert.equal(snapshotted?.head.revision, revision, 'the snapshot is taken');
        const { state, head } = await loadState({ log: place.log, stream, fold, store: states });
        sameState(state, whole.state);
        assert.deepEqual(head, whole.head);
      }
      await besideEqualsBehind(place);
      const cached = kept.get(stream);
      sameState((await foldStream(place.log, stream, fold, cached)).state, whole.state);
    }),
    { numRuns: Math.ceil(100 * scale), seed },
  );
  t.pass('all of them');
});

t.test('a snapshot that does not hold what the log says is told of and not used', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(20));
  const good = await snapshotAt(place, 1);
  const torn = Uint8Array.from(good.bytes);
  torn[torn.length - 1] = (torn.at(-1) ?? 0) ^ 1;
  const bad: Record<string, StateSnapshot | 'unusable'> = {
    'not as it was put': 'unusable',
    'another chain': { ...good, chain: '0'.repeat(64) },
    'a revision that is not there': { ...good, revision: 9 },
    'a digest that was changed': { ...good, bytes: torn },
    'half of it': { ...good, bytes: good.bytes.slice(0, 40) },
  };
  for (const [what, snapshot] of Object.entries(bad)) {
    const told: string[] = [];
    const states = statesOf({ newest: () => Promise.resolve(snapshot) }, (name) => told.push(name));
    const { state } = await loadState({ log: place.log, stream, fold, store: states });
    t.equal(state.employees.count, 20, what);
    t.same(told, [stream], what);
  }
  const told: string[] = [];
  const newest = () => Promise.reject(new ReadModelsUnavailable('away'));
  const states = statesOf({ newest }, (name) => told.push(name));
  const { state } = await loadState({ log: place.log, stream, fold, store: states });
  t.equal(state.employees.count, 20, 'a store that is away costs time only');
  t.same(told, [stream]);
});

t.test('states in memory: a stale one is folded on, and the newest stays where not all fit', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(5));
  const loaded = await foldStream(place.log, stream, fold);
  const states = new CompanyStateCache({
    snapshots: noSnapshots,
    digester,
    cacheBytes: 10_000,
  });
  states.put(stream, loaded);
  t.equal(states.get(stream), loaded);
  await send(generatedEmployees(6));
  t.equal(states.get(stream), loaded, 'stale, and said so by its head');
  t.equal((await foldStream(place.log, stream, fold, loaded)).state.employees.count, 6);
  const others = ['company-8', 'company-9', 'company-10'];
  for (const other of others) states.put(other, { state: loaded.state, head: INITIAL_HEAD });
  t.ok(states.get('company-10'));
  t.ok(
    [stream, ...others].some((one) => states.get(one) === undefined),
    'some are gone',
  );
});

t.test('a large event is passed by a snapshot behind it, where that is what the log says', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(5));
  const small = await foldStream(place.log, stream, fold);
  await send(generatedEmployees(3000));
  await send(generatedEmployees(2999));
  await send(generatedEmployees(2998));
  const whole = await foldStream(place.log, stream, fold);
  const good = await snapshotAt(place, 3);
  const snapshots = {
    none: undefined,
    good: good,
    'older than the large event': await snapshotAt(place, 1),
    'of another past': { ...good, chain: '0'.repeat(64) },
    'ahead of the log': { ...good, revision: 9 },
  };
  for (const [what, snapshot] of Object.entries(snapshots)) {
    const { log, taken } = countedLog(place.log);
    const states = statesOf({ newest: () => Promise.resolve(snapshot) });
    states.put(stream, small);
    const loaded = await loadState({ log, stream, fold, store: states });
    sameState(loaded.state, whole.state);
    t.strictSame(loaded.head, whole.head, what);
    t.equal(states.get(stream), loaded);
    const large = taken().filter((call) => call.startsWith('read data-'));
    t.equal(large.length, what === 'good' ? 0 : 1, what);
  }
});

t.test('an event that does not fit the set is a corrupt log, and no state', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(3));
  const other = companyFold(new Digester(Buffer.alloc(32, 6)));
  await t.rejects(foldStream(place.log, stream, other), LogCorrupt, 'digests of another key');
});

t.test('the states of 9,000 companies of 50 stay in memory, whichever calls next', async (t) => {
  const { place, send } = await company(t);
  await send(generatedEmployees(50));
  const loaded = await foldStream(place.log, stream, fold);
  const states = new SmallCompanyStates();
  const night = Array.from({ length: 9_000 }, (_, n) => `company-${n}`);
  for (const each of night) states.put(each, loaded);
  t.strictSame(night.filter((each) => states.get(each) !== loaded).length, 0);
  for (const each of night) states.put(`another-${each}`, loaded);
  t.ok(
    night.some((each) => states.get(each) !== loaded),
    'but not of any number',
  );
});
