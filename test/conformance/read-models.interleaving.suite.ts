import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { openEmbeddedEventLog } from '@rollcall/adapters';
import { systemClock, type DocumentWrite, type EventLog, type ReadModels } from '@rollcall/application';
import { retryStreams, rebuildInto, type Projection } from '@rollcall/projector';
import fc from 'fast-check';
import type { Test } from 'tap';
import { append, refused } from '../projector/projector.support.js';
import { withMembers } from '../support/with-members.js';
import type { OpenFresh } from './read-models.suite.js';
import { documents, put, remove } from './read-models.support.js';
import { Turns, type Turn } from './turns.js';
import { scale } from '../support/scale.js';

interface Write {
  readonly op: 'put' | 'keep' | 'remove';
  readonly at: number;
}

type Batch = readonly Write[];

interface Plan {
  /** The events of a stream, each with what it writes, in batches of one transaction. */
  readonly events: readonly (readonly Batch[])[];
  /** The stream stops here, and the read models further on. */
  readonly stopsAt: number;
  readonly standAt: number;
  readonly turns: readonly Turn[];
}

const write: fc.Arbitrary<Write> = fc.record({
  op: fc.constantFrom('put', 'put', 'keep', 'remove'),
  at: fc.integer({ min: 1, max: 3 }),
});
const batches = fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
const turn: fc.Arbitrary<Turn> = fc.record({
  who: fc.subarray([0, 1, 2], { minLength: 1, maxLength: 2 }),
  steps: fc.integer({ min: 1, max: 12 }),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  events: fc.array(batches, { minLength: 2, maxLength: 4 }),
  stopsAt: fc.nat({ max: 1 }),
  standAt: fc.nat({ max: 3 }),
  turns: fc.array(turn, { maxLength: 20 }),
});

/**
 * Two that take up the same stream, and one that projects everything else, stop and go on in any order, as processes do
 * that are paused: no write goes back, and when all have ended the read models are what one alone makes of the log.
 */
export function interleavingTests(t: Test, fresh: OpenFresh): void {
  const runs = Math.max(20, Math.ceil(1_000 * scale));
  const title = `${runs} interleavings of projectors come to what one of them comes to`;
  t.test(title, { timeout: 1_800_000 }, async (t) => {
    const seed = Date.now() % 1_000_000;
    t.comment(`seed ${seed}`);
    const { store, under } = await fresh(t);
    const stores = [await under.open(), await under.open(), await under.open()];
    const log = await openEmbeddedEventLog({ folder: `${t.testdir()}/event-log`, sync: false });
    t.teardown(() => log.close());
    let number = 0;
    const property = fc.asyncProperty(plan, async (plan) => {
      number += 1;
      const states = statesOf(plan);
      // Where a batch comes without a transaction, what is torn is no state at all.
      const applied = under.transactions ? forward(store, number, states) : async () => undefined;
      await played({ log, store, stores, plan, number, applied });
      assert.deepEqual(await contents(store, number), states.at(-1));
    });
    await t.resolves(fc.assert(property, { seed, numRuns: runs }));
  });
  t.end();
}

interface Stage {
  readonly log: EventLog;
  readonly store: ReadModels;
  /** Of those who interleave. */
  readonly stores: readonly ReadModels[];
  readonly plan: Plan;
  readonly number: number;
  /** Called after each write. */
  readonly applied: () => Promise<void>;
}

async function played({ log, store, stores, plan, number, applied }: Stage): Promise<void> {
  const { stream, positions } = await appended(log, plan, number);
  await rebuildInto(store, { log, projections: [table(plan.stopsAt)] }, positions[plan.standAt]);
  await applied();
  const turns = new Turns(stores.length);
  const runs = stores.map((own, who) => ({
    log: turns.gated(log, who),
    readModels: observed(turns.gated(own, who), applied),
    projections: [table()],
  }));
  const actors = runs.map((run, who) => (): Promise<unknown> => {
    return who === 2 ? rebuildInto(run.readModels, run, positions.at(-1)) : retryStreams(run, stream);
  });
  await turns.play(plan.turns, actors);
  await finish(store, log, stream);
}

const observed = (store: ReadModels, applied: () => Promise<void>): ReadModels =>
  withMembers(store, {
    apply: async (...args) => {
      const done = await store.apply(...args);
      if (done) await applied();
      return done;
    },
  });

/** Fails where the documents are no state of the plan, or an earlier one than before. */
function forward(store: ReadModels, number: number, states: readonly Contents[]): () => Promise<void> {
  let last = 0;
  return async () => {
    const found = await contents(store, number);
    const at = states.findIndex((state, index) => index >= last && isDeepStrictEqual(state, found));
    assert.notEqual(at, -1, `not behind ${last}: ${JSON.stringify(found)}`);
    last = at;
  };
}

async function appended(
  log: EventLog,
  { events }: Plan,
  number: number,
): Promise<{ stream: string; positions: bigint[] }> {
  const stream = `operation-${randomUUID()}`;
  const on = { log, clock: systemClock };
  const positions: bigint[] = [];
  for (const batches of events)
    positions.push(await append(on, stream, refused([JSON.stringify({ number, batches })])));
  return { stream, positions };
}

/** Writes what the events say; with `stopsAt` it cannot apply the events from that revision on. */
const table = (stopsAt?: number): Projection => ({
  ImportRefused: async function* (event) {
    if (stopsAt !== undefined && event.revision >= stopsAt) throw new RangeError('not yet');
    const { validationErrors } = (await event.json()) as { validationErrors: [string] };
    const { number, batches } = JSON.parse(validationErrors[0]) as { number: number; batches: Batch[] };
    for (const [part, batch] of batches.entries())
      yield batch.flatMap((one, at) => writesOf(number, one, `${event.revision}.${part}.${at}`));
  },
});

function writesOf(number: number, { op, at }: Write, id: string): DocumentWrite[] {
  const indexedBy = { collection: 'order', prefix: [number], member: 'id' };
  if (op === 'remove') return [{ ...remove([number, at]), op, indexedBy }];
  const keep = op === 'keep' ? { keep: ['since'] } : {};
  return [
    put([number, at], { id, since: id }, { indexedBy, ...keep }),
    put([number, id], { at }, { collection: 'order' }),
  ];
}

interface Contents {
  readonly documents: readonly unknown[];
  readonly order: readonly unknown[];
}

const contents = async (store: ReadModels, number: number): Promise<Contents> => ({
  documents: await documents(store, { prefix: [number] }),
  order: await documents(store, { prefix: [number] }, 'order'),
});

/** What is to be found before the first part, and after each. */
function statesOf({ events }: Plan): Contents[] {
  const model: Model = new Map();
  const parts = events.flatMap((batches, revision) =>
    batches.map((batch, part) => {
      for (const [n, write] of batch.entries()) follow(model, write, `${revision}.${part}.${n}`);
      return contentsOf(model);
    }),
  );
  return [contentsOf(new Map()), ...parts];
}

type Model = Map<number, { readonly id: string; readonly since: string }>;

function follow(model: Model, { op, at }: Write, id: string): void {
  const since = op === 'keep' ? (model.get(at)?.since ?? id) : id;
  if (op === 'remove') model.delete(at);
  else model.set(at, { id, since });
}

function contentsOf(model: Model): Contents {
  const found = [...model].sort(([a], [b]) => a - b);
  const order = [...found].sort(([, a], [, b]) => (a.id < b.id ? -1 : 1)).map(([at]) => ({ at }));
  return { documents: found.map(([, document]) => document), order };
}

async function finish(store: ReadModels, log: EventLog, stream: string): Promise<void> {
  const run = { log, readModels: store, projections: [table()] };
  await rebuildInto(store, run, await log.lastPosition());
  assert.equal(await retryStreams(run, stream), 'whole');
  assert.deepEqual([...(await store.parkedStreams()), ...(await store.laggingStreams())], []);
}
