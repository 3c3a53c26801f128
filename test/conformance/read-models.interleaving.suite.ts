import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { contents, folded, projecting, type TinyEvent, type Touch } from './read-models.tiny-projector.js';
import { scale, seed } from '../support/scale.js';
import type { WritableReadModels } from '../support/writable.js';

/** Two events of one stream: the second changes one document of the first, and removes the other. */
const small: readonly TinyEvent[] = [
  { stream: 0, revision: 0, touches: [touch(1), touch(2)] },
  { stream: 0, revision: 1, touches: [touch(1), touch(2, true)] },
];

function touch(document: number, removes = false): Touch {
  return { document, removes };
}

/**
 * Projectors that stop, end and go on in any order, as processes do that are paused or killed: once one has come to the end
 * the read models are what one alone makes of the log, whatever the others still do.
 */
export function interleavingTests(t: Test, fresh: OpenFresh): void {
  const options = { timeout: 1_800_000 };
  t.test('two projectors at once, in each of their interleavings', options, async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const all = orders(await stepsOf((await fresh(t)).store));
    // A store on a server is asked for a part of them, another one in each run.
    const each = under.transactions ? 1 : Math.ceil(1 / Math.min(1, scale));
    const offset = Date.now() % each;
    const some = all.filter((_, n) => n % each === offset);
    t.comment(`${some.length} of ${all.length} interleavings`);
    for (const [space, order] of some.entries()) {
      const runs = [store, other].map((own) =>
        projecting({ store: own, space, events: small, isTorn: false }),
      );
      let isOver = false;
      for (const who of [0, 1, ...order]) {
        isOver = (await runs[who]?.next())?.done === true || isOver;
        if (isOver)
          assert.deepEqual(await contents(store, space, small), folded(space, small), order.join(''));
      }
      assert.ok(isOver);
    }
  });

  t.test('an end behind any write, and a start behind it', options, async (t) => {
    const { store } = await fresh(t);
    for (const isTorn of [false, true])
      for (let steps = 0; steps < 12; steps += 1) {
        const space = steps + (isTorn ? 100 : 0);
        const run = { store, space, events: small, isTorn };
        await play(projecting(run), steps);
        await play(projecting(run));
        assert.deepEqual(await contents(store, space, small), folded(space, small), `${steps} steps`);
        await play(projecting(run));
        assert.deepEqual(await contents(store, space, small), folded(space, small), 'and once more');
      }
    t.pass();
  });

  const count = Math.max(20, Math.ceil(500 * scale));
  t.test(
    `${count} logs, projected in any order of their streams by several who end in between`,
    options,
    async (t) => {
      t.comment(`TEST_SEED=${seed}`);
      const { store, under } = await fresh(t);
      const stores = [store, await under.open(), await under.open()];
      let space = 0;
      const property = fc.asyncProperty(plan, async ({ touches, orders, turns }) => {
        space += 1;
        const logs = orders.map((order) => logOf(touches, order));
        const [events = []] = logs;
        const check = async (): Promise<void> =>
          assert.deepEqual(await contents(store, space, events), folded(space, events));
        const begin = (who: number) =>
          projecting({ store: stores[who] ?? store, space, events: logs[who] ?? events, isTorn: who > 0 });
        const runs = stores.map((_, who) => begin(who));
        for (const { who, steps, ends } of turns) {
          await Promise.all(who.map((one) => play(runs[one], steps)));
          if (ends) for (const one of who) runs[one] = begin(one);
        }
        await play(begin(turns.length % stores.length));
        await check();
        for (const run of runs) while ((await run.next()).done !== true) await check();
      });
      await t.resolves(fc.assert(property, { seed, numRuns: count }));
    },
  );
  t.end();
}

async function play(run: AsyncGenerator<void, void> | undefined, steps = Infinity): Promise<void> {
  for (let step = 0; step < steps; step += 1) if ((await run?.next())?.done !== false) return;
}

/** How many calls of the store one of them makes alone. */
async function stepsOf(store: WritableReadModels): Promise<number> {
  const run = projecting({ store, space: 0, events: small, isTorn: false });
  let steps = 0;
  while ((await run.next()).done !== true) steps += 1;
  return steps;
}

/** All orders of so many steps of each of two. */
function orders(steps: number): number[][] {
  const continued = (left: readonly [number, number]): number[][] =>
    left[0] === 0 && left[1] === 0
      ? [[]]
      : [0, 1].flatMap((who) => {
          if (left[who] === 0) return [];
          const rest = continued(who === 0 ? [left[0] - 1, left[1]] : [left[0], left[1] - 1]);
          return rest.map((order) => [who, ...order]);
        });
  return continued([steps, steps]);
}

/** What the events of two streams touch, in several orders of the streams. */
interface Plan {
  readonly touches: readonly (readonly (readonly Touch[])[])[];
  readonly orders: readonly (readonly number[])[];
  readonly turns: readonly { who: readonly number[]; steps: number; ends: boolean }[];
}

const touches = fc.uniqueArray(
  fc.record({ document: fc.integer({ min: 1, max: 3 }), removes: fc.boolean() }),
  {
    selector: ({ document }) => document,
    maxLength: 3,
  },
);
const plan: fc.Arbitrary<Plan> = fc.record({
  touches: fc.tuple(fc.array(touches, { maxLength: 4 }), fc.array(touches, { maxLength: 4 })),
  orders: fc.tuple(
    ...[0, 1, 2].map(() => fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 8, maxLength: 8 })),
  ),
  turns: fc.array(
    fc.record({
      who: fc.subarray([0, 1, 2], { minLength: 1 }),
      steps: fc.integer({ min: 1, max: 12 }),
      ends: fc.boolean(),
    }),
    { maxLength: 12 },
  ),
});

/** The events by these turns of the streams, then what is left of each. */
function logOf(streams: Plan['touches'], order: readonly number[]): TinyEvent[] {
  const next = streams.map(() => 0);
  const rest = streams.flatMap((events, stream) => events.map(() => stream));
  return [...order, ...rest].flatMap((stream) => {
    const revision = next[stream] ?? 0;
    const touched = streams[stream]?.[revision];
    next[stream] = revision + 1;
    return touched === undefined ? [] : [{ stream, revision, touches: touched }];
  });
}
