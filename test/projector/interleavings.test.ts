import { projections, subscribe } from '@rollcall/projector';
import t, { type Test } from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { openRig, type Rig } from '../support/rig.js';
import { shown } from '../support/shown.js';
import { scale } from '../support/scale.js';
import { withMembers } from '../support/with-members.js';
import { append, configured, employeeSet, refused } from './projector.support.js';

/** One who stops in front of every question to the store, and of each of its writes, until he is let go on. */
class Stepping {
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(on: Rig, store: ModelReadModels, largeBytes: number | undefined) {
    const step = (): Promise<void> => new Promise((resolve) => this.#waiting.push(resolve));
    const write: ModelReadModels['write'] = async (stages) => {
      for (const one of stages.flat()) await step().then(() => store.write([[one]]));
    };
    const readModels = withMembers(store, {
      progress: () => step().then(() => store.progress()),
      newest: (...given) => step().then(() => store.newest(...given)),
      advance: async (expected, next, given) => {
        const { documents = [], ...changes } = given ?? {};
        await write(documents);
        return step().then(() => store.advance(expected, next, changes));
      },
      write,
    });
    const run = { ...on, readModels, projections, largeBytes };
    void this.#run(on, (until) => subscribe(run, until));
  }

  async #run(
    { log }: Rig,
    project: (until: Parameters<typeof subscribe>[1]) => Promise<unknown>,
  ): Promise<void> {
    const { signal } = new AbortController();
    const position = await log.lastPosition();
    if (position === undefined) throw new Error('there is nothing to project');
    // Whoever is ahead goes on, and the other stands by: that is no failure.
    while ((await project({ signal, position })) !== 'done');
    this.#isOver = true;
  }

  /** So many steps, or to the end; whether he has come to it, and how many they were. */
  async go(steps = Infinity): Promise<{ readonly isOver: boolean; readonly steps: number }> {
    for (let done = 0; ; done += 1) {
      while (!this.#isOver && this.#waiting.length === 0) await new Promise(setImmediate);
      if (this.#isOver || done >= steps) return { isOver: this.#isOver, steps: done };
      this.#waiting.shift()?.();
    }
  }
}

async function small(t: Test): Promise<Rig> {
  const on = await openRig(t);
  const people = [1, 2].map((number) => ({ number, id: `E${number}`, due: '2026-12-01T07:00:00Z' }));
  await append(on, 'company-1', configured(1, 'one'), { companyId: 1 });
  await append(on, 'company-1', employeeSet({ added: people, total: 2, lastNumber: 2 }), { companyId: 1 });
  const added = [{ number: 3, id: 'E1' }];
  const changed = [{ number: 2, id: 'E2', name: 'Bo' }];
  const change = employeeSet({ added, changed, left: [1], total: 2, lastNumber: 3 });
  await append(on, 'company-1', change, { companyId: 1 });
  await append(on, 'operation-1', refused(), { companyId: 1 });
  return on;
}

const pairsUpTo = (steps: number, others: number): (readonly [number, number])[] =>
  Array.from({ length: steps }, (_, i) =>
    Array.from({ length: others }, (_, j) => [i + 1, j + 1] as const),
  ).flat();

/**
 * One goes so many steps, then another, and then each of them to his end: what one alone makes of the log is there as soon as one of
 * them has come to it, and stays.
 */
for (const [what, ...largeBytes] of [
  ['small events', undefined, undefined],
  ['large events', 0, 0],
  ['one of whom takes for large what is small to the other', 0, undefined],
] as const)
  t.test(`two projectors in turns: ${what}`, { timeout: 1_800_000 }, async (t) => {
    const on = await small(t);
    const pair = (store: ModelReadModels) => largeBytes.map((bytes) => new Stepping(on, store, bytes));
    const alone = new ModelReadModels();
    const [first, second] = [
      new Stepping(on, alone, largeBytes[0]),
      new Stepping(on, new ModelReadModels(), largeBytes[1]),
    ];
    const all = pairsUpTo((await first.go()).steps, (await second.go()).steps);
    const each = Math.ceil(1 / Math.min(1, scale));
    const offset = Date.now() % each;
    const some = all.filter((_, at) => at % each === offset);
    t.comment(`${some.length} of ${all.length}`);
    for (const [at, [one, other]] of some.entries()) {
      const store = new ModelReadModels();
      const [a, b] = pair(store);
      await a?.go(one);
      await b?.go(other);
      const turns = at % 2 ? [a, b] : [b, a];
      for (const turn of turns) {
        await turn?.go();
        if ((await shown(store)).join() !== (await shown(alone)).join())
          t.strictSame(await shown(store), await shown(alone), `${one}, ${other}`);
      }
    }
    t.ok(some.length > 0);
  });
