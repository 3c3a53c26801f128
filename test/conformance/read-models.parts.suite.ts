import assert from 'node:assert/strict';
import {
  allParts,
  partCount,
  partsOf,
  positionOfPart,
  type Position,
  type Progress,
} from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { at, START } from './read-models.support.js';
import type { WritableReadModels } from '../support/writable.js';

interface Move {
  /** Which of the handles. */
  readonly who: number;
  readonly numbers: readonly number[];
  readonly by: number;
  /** From what another one has seen long ago. */
  readonly isStale: boolean;
}

const numbers = [...Array(partCount).keys()];

const move: fc.Arbitrary<Move> = fc.record({
  who: fc.nat({ max: 1 }),
  numbers: fc.oneof(fc.constant(numbers), fc.uniqueArray(fc.nat({ max: partCount - 1 }), { minLength: 1 })),
  by: fc.integer({ min: 1, max: 9 }),
  isStale: fc.boolean(),
});

const isLower = (one: Position | undefined, other: Position | undefined): boolean =>
  other !== undefined && (one === undefined || one < other);

const last = (revision: number) => ({ installationId: null, stream: 'company-7', revision, chain: 'ab' });

const positionsOf = (progress: Progress) => numbers.map((part) => positionOfPart(progress, part));

/** Moves some parts, and compares what another handle then sees. */
async function play(handle: WritableReadModels, other: WritableReadModels, move: Move): Promise<void> {
  const before = await handle.progress();
  const positions = positionsOf(before);
  const to = (positions[move.numbers[0] ?? 0] ?? 0n) + BigInt(move.by);
  if (!move.numbers.every((part) => isLower(positions[part], to))) return;
  const expected = move.isStale ? START : before;
  const isRight = move.numbers.every((part) => positions[part] === positionOfPart(expected, part));
  const next = { position: to, last: last(Number(to)) };
  assert.equal(await handle.advance(expected, next, { parts: partsOf(move.numbers) }), isRight);
  check(
    await other.progress(),
    positions.map((one, part) => (isRight && move.numbers.includes(part) ? to : one)),
  );
}

function check(progress: Progress, positions: readonly (Position | undefined)[]): void {
  assert.deepEqual(positionsOf(progress), positions);
  assert.ok(positions.includes(progress.position));
  assert.ok(
    positions.every((one) => !isLower(one, progress.position)),
    'the lowest',
  );
  const furthest = positions.reduce((one, other) => (isLower(one, other) ? other : one));
  const revision = furthest === undefined ? undefined : Number(furthest);
  assert.equal(progress.last?.revision, revision, 'the newest event');
}

export function partTests(t: Test, fresh: OpenFresh): void {
  t.test(
    'each part moves by itself, only from where it is, and the whole is where the last part is',
    async (t) => {
      const { store, under } = await fresh(t);
      const handles = [store, await under.open()];
      const property = fc.asyncProperty(fc.array(move, { maxLength: 8 }), async (moves) => {
        for (const one of moves) await play(handles[one.who] ?? store, handles[1 - one.who] ?? store, one);
      });
      await t.resolves(fc.assert(property, { numRuns: 20 }));
    },
  );

  t.test('who waits for a position waits for all parts', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    t.equal(await store.advance(START, at(5n), { parts: partsOf([3]) }), true);
    t.equal(await other.reachedPosition(5n, 0), false);
    const waiting = [store, other].map((handle) => handle.reachedPosition(5n, 60_000));
    const rest = allParts & ~partsOf([3]);
    t.equal(await store.advance(await store.progress(), at(5n), { parts: rest }), true);
    t.strictSame(await Promise.all(waiting), [true, true]);
    t.strictSame(await other.progress(), at(5n), 'nothing is said of parts that are together');
  });

  t.test('leases are changed only from what they are, and stand beside the progress', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    t.equal(await store.leases(), undefined);
    t.equal(await store.lease('another', 'mine'), false);
    const both = await Promise.all([store.lease(undefined, 'one'), other.lease(undefined, 'two')]);
    t.equal(both.filter(Boolean).length, 1);
    const leases = both[0] ? 'one' : 'two';
    t.equal(await store.advance(START, at(5n)), true);
    t.equal(await other.leases(), leases);
    const begun = await (await other.newGeneration()).leases();
    t.equal(begun, undefined, 'each generation has its own');
    t.equal(await other.lease(leases, 'three'), true);
    t.strictSame(await store.progress(), at(5n));
  });
  t.end();
}
