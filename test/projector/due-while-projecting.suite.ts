import assert from 'node:assert/strict';
import {
  type DocumentWrite,
  invitationCollections,
  OpenInvitations,
  type ReadModelReader,
  type ReadModelWriter,
  ReadModelsUnavailable,
  UnwritableDocument,
} from '@rollcall/application';
import { projections, rebuildInto, retryStreams } from '@rollcall/projector';
import fc from 'fast-check';
import type { Test } from 'tap';
import { type Ending, openRig, type Rig, scoped } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { withMembers } from '../support/with-members.js';
import { appended, type Company, history, type Step } from './evolving.support.js';

type Store = ReadModelReader & ReadModelWriter;

/** A worker: looks for what is due, and sends it. */
export class Worker {
  readonly sent = new Map<string, number>();
  readonly #store: Store;
  readonly #open = new OpenInvitations();
  #looking: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  look(now = Number.MAX_SAFE_INTEGER): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#look(now)));
  }

  async #look(now: number): Promise<void> {
    for (const open of await this.#open.companiesDue(this.#store, now))
      for (const { number } of await open.due(this.#store, { now, limit: 10_000 }))
        await this.#send(open.companyId, number);
  }

  async #send(companyId: number, number: number): Promise<void> {
    const key = [companyId, number] as const;
    this.sent.set(key.join(), (this.sent.get(key.join()) ?? 0) + 1);
    const value = Buffer.from(JSON.stringify({ state: 'sent', due: null }));
    const collection = invitationCollections.progress;
    await this.#store.write([[{ op: 'put', collection, key, revision: 0, value }]]);
  }
}

interface Between {
  /** Before each write of a document; what it throws ends the call where it stands. */
  readonly before: (write: DocumentWrite) => Promise<void>;
  readonly draw: () => number;
}

/** The store, which writes each document by itself, those of a stage in any order. */
export function stepping<T extends Store>(store: T, { before, draw }: Between): T {
  const write: Store['write'] = async (stages) => {
    for (const stage of stages) {
      const left = [...stage];
      while (left.length > 0)
        for (const one of left.splice(draw() % left.length, 1)) {
          await before(one);
          await store.write([[one]]);
        }
    }
  };
  const members: Partial<Store> = {
    write,
    advance: async (expected, next, { documents = [], ...changes } = {}) => {
      await write(documents);
      return store.advance(expected, next, changes);
    },
  };
  return withMembers<T>(store, members as Partial<T>);
}

/** Everything, however often the store is away or a stream is parked meanwhile. */
export async function projectAll(on: Rig, readModels: Store, largeBytes: number | undefined): Promise<void> {
  const end = await on.log.lastPosition();
  const run = { ...on, readModels, projections, largeBytes };
  for (;;)
    try {
      await rebuildInto(readModels, run, end);
      const parked = await readModels.parkedStreams();
      for (const { stream } of parked) await retryStreams(run, stream);
      if (parked.length === 0) return;
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
    }
}

interface Chances {
  /** Of a look before a write, and of a failure of it, in 100. */
  readonly looks: number;
  readonly outages: number;
  readonly unwritable: number;
  readonly largeBytes: number | undefined;
}

interface Case extends Chances {
  readonly scope: Ending;
  readonly open: (scope: Ending, on: Rig) => Promise<Store>;
  readonly steps: readonly Step[];
}

async function property(
  { scope, open, steps, looks, outages, unwritable, largeBytes }: Case,
  drawn: fc.Stream<number>,
): Promise<void> {
  const on = await openRig(scope);
  const companies = await appended(on, steps);
  const store = await open(scope, on);
  const worker = new Worker(store);
  const draw = (): number => (drawn.next() as IteratorResult<number, undefined>).value ?? 0;
  let failures = 20;
  const before = async ({ collection }: DocumentWrite): Promise<void> => {
    if (draw() % 100 < looks) await worker.look(Date.parse(`2026-12-0${(draw() % 4) + 1}T08:00:00Z`));
    const chance = draw() % 100;
    if (failures === 0 || chance >= outages + unwritable) return;
    failures -= 1;
    if (chance < outages) throw new ReadModelsUnavailable('away');
    if (collection === 'employee-blocks') throw new UnwritableDocument('too large');
  };
  await projectAll(on, stepping(store, { before, draw }), largeBytes);
  await worker.look();
  await worker.look();
  check(companies, worker);
}

/** Whoever is there was invited once; who has left may have been. */
function check(companies: readonly Company[], { sent }: Worker): void {
  const wrong: string[] = [];
  for (const [at, { people, planned }] of companies.entries())
    for (const number of planned.keys()) {
      const times = sent.get(`${at + 1},${number}`) ?? 0;
      if (times > 1 || (people.has(number) && times === 0)) wrong.push(`${at + 1}, ${number}: ${times}`);
    }
  assert.deepEqual(wrong, []);
}

const chances: fc.Arbitrary<Chances> = fc.record({
  looks: fc.constantFrom(5, 30, 100),
  outages: fc.constantFrom(0, 0, 3),
  unwritable: fc.constantFrom(0, 0, 3),
  largeBytes: fc.constantFrom(undefined, 0, 1_000),
});

type OpenStore = Case['open'];

/** Random histories, stores that fail and moments at which a worker looks. */
export function dueTests(t: Test, what: string, runs: number, open: OpenStore): void {
  const numRuns = Math.max(10, Math.ceil(runs * scale));
  t.test(`whenever a worker looks, whoever is due is invited once: ${what}`, { timeout: 1_800_000 }, (t) =>
    t.resolves(
      fc.assert(
        fc.asyncProperty(history, chances, fc.infiniteStream(fc.nat(1_000_000)), (steps, chance, drawn) =>
          scoped((scope) => property({ scope, open, steps, ...chance }, drawn)),
        ),
        { numRuns, seed },
      ),
    ),
  );
}
