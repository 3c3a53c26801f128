import assert from 'node:assert/strict';
import {
  type LiveGeneration,
  type ReadModelGeneration,
  type ReadModels,
  GenerationReplaced,
} from '@rollcall/application';
import { projections, rebuild, subscribe } from '@rollcall/projector';
import fc from 'fast-check';
import type { Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, type Rig } from '../support/rig.js';
import { scale, seed } from '../support/scale.js';
import { withMembers } from '../support/with-members.js';
import { append, configured, contents, employeeSet, refused } from './projector.support.js';

/** More than anybody needs to the end. */
const MANY = 5_000;

type Step = () => Promise<void>;

/** Stops in front of every call to the store until it is let go on. */
class Stepping {
  readonly #waiting: (() => void)[] = [];
  readonly #ended: Promise<void>;
  isOver = false;

  /** `work` passes the gate before each call. */
  constructor(work: (step: Step) => Promise<void>) {
    this.#ended = work(() => new Promise((resolve) => this.#waiting.push(resolve))).finally(
      () => (this.isOver = true),
    );
    this.#ended.catch(() => undefined);
  }

  /** So many steps, or to the end. */
  async go(steps = MANY): Promise<void> {
    for (let done = 0; done < steps && !this.isOver; done += 1) {
      while (!this.#hasStopped()) await new Promise(setImmediate);
      this.#waiting.shift()?.();
    }
    if (this.isOver) await this.#ended;
    else assert.ok(steps < MANY, 'it comes to no end');
  }

  #hasStopped(): boolean {
    return this.isOver || this.#waiting.length > 0;
  }
}

/** The same generation, each call of which waits for its turn, and each document of a write for one of its own. */
function inSteps<G extends LiveGeneration | ReadModelGeneration>(generation: G, step: Step): G {
  const write: LiveGeneration['write'] = async (stages) => {
    for (const one of stages.flat()) await step().then(() => generation.write([[one]]));
  };
  const members: Partial<LiveGeneration> = {
    progress: () => step().then(() => generation.progress()),
    newest: (...given) => step().then(() => generation.newest(...given)),
    write,
    advance: async (expected, next, { documents = [], ...changes } = {}) => {
      await write(documents);
      return step().then(() => generation.advance(expected, next, changes));
    },
  };
  return withMembers<G, Partial<LiveGeneration>>(generation, members);
}

/** A projector that goes on to what is the log's end at its last start. */
async function project(on: Rig, store: ReadModels, largeBytes: number | undefined, step: Step) {
  const { signal } = new AbortController();
  for (;;) {
    const readModels = inSteps(await store.liveGeneration(), step);
    const position = await on.log.lastPosition();
    try {
      const run = { ...on, readModels, projections, largeBytes };
      if (position === undefined || (await subscribe(run, { signal, position })) === 'done') return;
    } catch (error) {
      if (!(error instanceof GenerationReplaced)) throw error;
    }
  }
}

const rebuildInSteps = (on: Rig, store: ReadModels, step: Step): Promise<void> =>
  rebuild(
    withMembers(store, {
      newGeneration: async () => {
        const generation = await step().then(() => store.newGeneration());
        const switchTo = () => step().then(() => generation.switchTo());
        return withMembers(inSteps(generation, step), { switchTo });
      },
    }),
    { log: on.log, projections },
  );

/** What is appended one by one while they go on. */
async function appendEvent(on: Rig, n: number): Promise<void> {
  const companyId = 1 + (n % 2);
  const stream = `company-${companyId}`;
  const number = 1 + Math.floor(n / 2);
  const name = `Name ${n}`;
  const changed = number > 1 ? [{ number: 1, id: 'E1', name }] : [];
  const set = { added: [{ number, id: `E${number}`, name }], changed, total: number, lastNumber: number };
  if (n < 2) await append(on, stream, configured(companyId, name), { companyId });
  await append(on, stream, employeeSet(set), { companyId });
  if (n % 3 === 0) await append(on, `operation-${n}`, refused(), { companyId });
}

interface Plan {
  /** Who goes on, for how many calls; the last of them appends. */
  readonly turns: readonly { readonly who: number; readonly steps: number }[];
  readonly areLarge: readonly boolean[];
}

const plan: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(
    fc.record({ who: fc.integer({ min: 0, max: 4 }), steps: fc.integer({ min: 1, max: 14 }) }),
    { minLength: 6, maxLength: 30 },
  ),
  areLarge: fc.tuple(fc.boolean(), fc.boolean()),
});

const begins: readonly ('projector' | 'rebuild')[] = ['projector', 'projector', 'rebuild', 'rebuild'];

async function play(on: Rig, store: ReadModels, { turns, areLarge }: Plan): Promise<number> {
  const running = new Map<number, Stepping>();
  const begin = (who: number): Stepping =>
    new Stepping((step) =>
      begins[who] === 'projector'
        ? project(on, store, areLarge[who] === true ? 0 : undefined, step)
        : rebuildInSteps(on, store, step),
    );
  // Who has come to the end begins again: a projector goes on, a rebuild is another one.
  const goOn = async (who: number, steps: number): Promise<void> => {
    const one = running.get(who) ?? begin(who);
    running.set(who, one);
    await one.go(steps);
    if (one.isOver) running.delete(who);
  };
  let appended = 0;
  await appendEvent(on, appended++);
  for (const { who, steps } of turns) {
    if (who === begins.length) await appendEvent(on, appended++);
    else await goOn(who, steps);
  }
  for (const one of running.values()) await one.go();
  await begin(0).go();
  return (await store.generations()).filter(({ status }) => status !== 'building').length - 1;
}

async function folded(on: Rig): Promise<string[]> {
  const model = new ModelReadModels();
  const { signal } = new AbortController();
  const position = await on.log.lastPosition();
  const run = { ...on, readModels: model, projections };
  if (position !== undefined) assert.equal(await subscribe(run, { signal, position }), 'done');
  return contents(model);
}

/**
 * Two projectors and two rebuilds that stop and go on at any of their calls, while events are appended: in the end the live read
 * models are what one projector makes of the log.
 */
export function switchTests(t: Test, count: number, open: (t: Test, on: Rig) => Promise<ReadModels>): void {
  const numRuns = Math.max(20, Math.ceil(count * scale));
  t.test(`${numRuns} interleavings with switches`, { timeout: 1_800_000 }, async (t) => {
    let [runs, switches] = [0, 0];
    const property = fc.asyncProperty(plan, async (one) => {
      const on = await openRig(t);
      const store = await open(t, on);
      switches += await play(on, store, one);
      runs += 1;
      assert.deepEqual(await contents(store), await folded(on));
      assert.deepEqual(await store.parkedStreams(), []);
      await store.close();
      await on.log.close();
    });
    await t.resolves(fc.assert(property, { seed, numRuns, endOnFailure: true }));
    t.comment(`${runs} interleavings with ${switches} switches, none differs from a fold; TEST_SEED=${seed}`);
    t.ok(switches > runs / 4, 'most of them switch');
  });
}
