import { setImmediate } from 'node:timers/promises';
import {
  numbersOf,
  partsOf,
  progressOfHolder,
  rebalanced,
  UnwritableDocument,
  type Progress,
  type ReadModelWriter,
} from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { advance, applied, at, keys, put, read, START, write } from './read-models.support.js';

const parked = (stream: string) => ({ stream, revision: 0, problem: 'its shape' });

export function progressTests(t: Test, fresh: OpenFresh): void {
  t.test('it is moved only from where it is', async (t) => {
    const { store, under } = await fresh(t);
    const last = { installationId: null, stream: 'company-7', revision: 3, chain: 'ab', position: '5' };
    t.strictSame(await store.progress(), START);
    t.equal(await store.advance(START, at(5n)), true);
    t.equal(await store.advance(START, at(6n)), false, 'behind');
    t.equal(await store.advance(at(6n), at(7n)), false, 'ahead');
    t.strictSame(await store.progress(), at(5n));
    t.equal(await store.advance({ position: 5n, last }, { position: 2n ** 63n, last }), true);
    const other = await under.open();
    t.strictSame(
      await other.progress(),
      { position: 2n ** 63n, last },
      'with the last event, which is not compared',
    );
    await t.rejects(other.advance(at(2n ** 63n), at(1n)), { message: /only grows/ });
    await t.rejects(other.advance(at(2n ** 63n), START), { message: /only grows/ });
  });

  t.test(
    'documents go with a move: who waits for either is woken, and the progress is never ahead',
    async (t) => {
      const { store, under } = await fresh(t);
      const other = await under.open();
      const waiting = [store, other].flatMap((handle) => [
        handle.reached('company-7', 1, 60_000),
        handle.reachedPosition(5n, 60_000),
      ]);
      const big = { name: 'x'.repeat(5 * 1024 * 1024) };
      const documents = [
        [put([1], big), put([2], big)],
        [put([3], { name: 'c' })],
        [applied('company-7', 1)],
      ];
      const moving = store.advance(START, at(5n), { documents });
      let moved: Progress = START;
      for (; moved.position === undefined; await setImmediate()) moved = await other.progress();
      t.equal(await other.reached('company-7', 1, 0), true, 'as soon as the progress says so');
      t.equal(await moving, true);
      t.strictSame(await Promise.all(waiting), [true, true, true, true]);
      t.same(await keys(other, { prefix: [] }), [[1], [2], [3]]);
      t.same(await read(other, [3]), { name: 'c' });
      t.strictSame(await other.progress(), at(5n));
    },
  );

  t.test(
    'documents of a move that is refused are there all the same, each by its own revision',
    async (t) => {
      const { store, under } = await fresh(t);
      const other = await under.open();
      await other.advance(START, at(5n));
      await write(other, put([1], { by: 'other' }, { revision: 9 }));
      const documents = [
        [put([1], { by: 'late' }, { revision: 8 }), put([2], { by: 'late' }, { revision: 8 })],
        [applied('company-7', 8)],
      ];
      const waiting = other.reached('company-7', 8, 60_000);
      t.equal(await store.advance(START, at(7n), { documents }), false);
      t.equal(await waiting, true);
      t.same(await read(other, [1]), { by: 'other' });
      t.same(await read(other, [2]), { by: 'late' });
      t.strictSame(await other.progress(), at(5n));
      const skipped = { documents: [[put([3], {})]], skipped: ['survey-1'] };
      t.equal(await store.advance(at(5n), at(6n), skipped), false, 'nor is it where a stream is not parked');
      t.same(await read(other, [3]), {});
      t.strictSame(await other.progress(), at(5n));
    },
  );

  t.test('a document that cannot be written keeps the progress where it is', async (t) => {
    const { store } = await fresh(t);
    const documents = [[put([1], {})], [put([2, 'x'.repeat(5_000)], {})]];
    await t.rejects(store.advance(START, at(5n), { documents }), UnwritableDocument);
    t.strictSame(await store.progress(), START);
    t.same(await keys(store, { prefix: [] }), []);
  });

  t.test('of several who move it at once, one does', async (t) => {
    const { store, under } = await fresh(t);
    const handles = [store, store, await under.open(), await under.open()];
    for (let n = 1n; n <= 30n; n++) {
      const before = await store.progress();
      const results = await Promise.all(handles.map((handle) => handle.advance(before, at(n))));
      t.equal(results.filter((done) => done).length, 1);
    }
  });

  t.test('what one handle applied, the other sees at once', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let n = 1; n <= 20; n++) {
      const [writer, reader] = n % 2 === 0 ? [store, other] : [other, store];
      await write(writer, applied('company-7', n));
      t.equal(await reader.reached('company-7', n, 0), true);
      t.equal(await reader.reached('company-7', n + 1, 0), false);
      const position = await advance(writer);
      t.equal(await reader.reachedPosition(position, 0), true);
      t.equal(await reader.reachedPosition(position + 1n, 0), false);
    }
  });

  t.test('waiting ends when it is reached, from whichever handle, and not before', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const reached: string[] = [];
    const note = async (name: string, waiting: Promise<boolean>) => {
      if (await waiting) reached.push(name);
    };
    const all = [store, other].flatMap((handle, n) => [
      note(`company 1, ${n}`, handle.reached('company-7', 1, 60_000)),
      note(`company 2, ${n}`, handle.reached('company-7', 2, 60_000)),
      note(`survey 0, ${n}`, handle.reached('survey-1', 0, 60_000)),
      note(`position 1, ${n}`, handle.reachedPosition(1n, 60_000)),
    ]);
    const of = (n: number) => all.filter((_, at) => at % 4 === n);
    await write(store, applied('company-7', 1));
    await Promise.all(of(0));
    t.strictSame(reached.toSorted(), ['company 1, 0', 'company 1, 1']);
    await advance(other);
    await Promise.all(of(3));
    t.equal(reached.length, 4, 'a stream and the position are two things');
    await write(other, applied('survey-1', 7));
    await Promise.all(of(2));
    await write(other, applied('company-7', 2));
    await Promise.all(of(1));
    t.equal(reached.length, 8);
  });

  t.test('waiting ends with false at the time-out, and when the store is closed', async (t) => {
    const { store, under } = await fresh(t);
    t.equal(await store.reachedPosition(1n, 0), false);
    t.equal(await store.reachedPosition(1n, 30), false);
    t.equal(await store.reached('company-7', 0, 30), false);
    const other = await under.open();
    const waiting = [other.reachedPosition(1n, 60_000), other.reached('company-7', 0, 60_000)];
    await other.close();
    t.strictSame(await Promise.all(waiting), [false, false]);
    await t.rejects(other.reached('company-7', 0, 0), { name: 'ReadModelsUnavailable' });
    await advance(store);
    t.equal(await store.reachedPosition(1n, 0), true);
  });

  t.test('holders move their own parts, and the progress is the lowest of them', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const take = (of: ReadModelWriter, holder: string) => of.share((all) => rebalanced(all, holder));
    await store.advance(START, at(1n));
    await take(store, 'a');
    await take(other, 'b');
    await take(store, 'a');
    const shared = await take(other, 'b');
    t.strictSame(await store.progress(), shared, 'all see the same');
    const [a, b] = ['a', 'b'].map((holder) => progressOfHolder(shared, holder)) as [Progress, Progress];
    const waiting = store.reachedPosition(5n, 60_000);
    t.equal(await store.advance(a, at(9n), { holder: 'a' }), true);
    t.equal((await other.progress()).position, 1n);
    t.equal(await other.advance(a, at(9n), { holder: 'a' }), false, 'from where it was');
    t.equal(await other.advance(shared, at(9n)), false, 'nobody moves what others hold');
    t.equal(await other.advance(b, at(5n), { holder: 'b' }), true);
    t.equal(await waiting, true);
    t.equal((await store.progress()).position, 5n);
    await store.share((all) => all.map((one) => ({ ...one, holder: 'c' })));
    t.equal(await store.advance({ ...a, position: 9n }, at(10n), { holder: 'a' }), false, 'it has lost them');
    const moved = progressOfHolder(await store.progress(), 'c');
    t.equal(await store.advance(moved, at(9n), { holder: 'c' }), true);
    await store.share((all) => all.map((one) => ({ ...one, holder: null })));
    t.strictSame(await other.progress(), at(9n), 'what nobody holds is one again');
  });

  t.test('of several who share at once, none loses what another has taken', async (t) => {
    const { store, under } = await fresh(t);
    const handles = [store, store, await under.open(), await under.open()];
    for (let round = 0; round < 3; round += 1)
      await Promise.all(handles.map((one, at) => one.share((all) => rebalanced(all, `holder ${at}`))));
    const { shares = [] } = await store.progress();
    const sizes = handles.map(
      (_, at) => numbersOf(partsOf(shares.filter(({ holder }) => holder === `holder ${at}`))).length,
    );
    t.strictSame(sizes, [16, 16, 16, 16]);
  });

  t.test('parked streams are remembered until they are projected again', async (t) => {
    const { store, under } = await fresh(t);
    const one = { ...parked('survey-1'), revision: 3 };
    t.equal(await store.advance(START, START, { park: [one, parked('company-7')] }), true);
    t.equal(await store.advance(START, at(1n), { park: [{ ...parked('company-7'), revision: 4 }] }), true);
    const other = await under.open();
    const recorded = (await other.parkedStreams()).toSorted((a, b) => (a.stream < b.stream ? -1 : 1));
    t.strictSame(recorded, [{ ...parked('company-7'), revision: 4 }, one]);
    t.equal(await other.advance(START, at(1n), { unpark: 'survey-1' }), false, 'only at the right progress');
    t.equal((await store.parkedStreams()).length, 2);
    t.equal(await other.advance(at(1n), at(1n), { unpark: 'survey-1' }), true);
    t.strictSame(await store.parkedStreams(), [{ ...parked('company-7'), revision: 4 }]);
    t.strictSame(await store.progress(), at(1n));
  });

  t.test('nobody passes events by for a stream that is projected again', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    await store.advance(START, START, { park: [parked('survey-1')] });
    t.equal(await store.advance(START, at(1n), { skipped: ['survey-1'] }), true);
    t.equal(await store.advance(at(1n), at(2n), { skipped: ['survey-1', 'survey-2'] }), false);
    t.equal(await other.advance(at(1n), at(1n), { unpark: 'survey-1' }), true);
    t.equal(await store.advance(at(1n), at(2n), { skipped: ['survey-1'] }), false);
    t.strictSame(await store.progress(), at(1n));
  });

  t.test('clearing and passing by at once: one of them is refused', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let n = 1n; n <= 20n; n++) {
      const before = await store.progress();
      await store.advance(before, before, { park: [parked('survey-1')] });
      const results = await Promise.all([
        store.advance(before, at(n), { skipped: ['survey-1'] }),
        other.advance(before, before, { unpark: 'survey-1' }),
      ]);
      t.equal(results.filter((done) => done).length, 1);
      if (!results[0]) await store.advance(before, at(n));
    }
  });
  t.end();
}
