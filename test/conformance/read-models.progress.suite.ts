import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { at, put, read, START, write } from './read-models.support.js';

export function progressTests(t: Test, fresh: OpenFresh): void {
  t.test('writes come with their progress, or not at all', async (t) => {
    const { store, under } = await fresh(t);
    t.strictSame(await store.progress(), START);
    t.equal(await store.apply(START, [put([1], { n: 1 })], at(5n)), true);
    t.equal(await store.apply(START, [put([1], { n: 2 })], at(6n)), false, 'behind');
    t.equal(await store.apply(at(6n), [put([1], { n: 2 })], at(7n)), false, 'ahead');
    t.equal(await store.apply(at(5n, 1), [put([1], { n: 2 })], at(7n)), false, 'another part');
    t.strictSame(await read(store, [1]), { n: 1 });
    t.strictSame(await store.progress(), at(5n));
    t.equal(await store.apply(at(5n), [put([1], { n: 3 })], at(5n, 1)), true);
    t.equal(await store.apply(at(5n, 1), [], at(2n ** 63n)), true);
    const other = await under.open();
    t.strictSame(await other.progress(), at(2n ** 63n));
    t.strictSame(await read(other, [1]), { n: 3 });
  });

  t.test('of several who apply at once, one does', async (t) => {
    const { store, under } = await fresh(t);
    const handles = [store, store, await under.open(), await under.open()];
    for (let n = 1n; n <= 30n; n++) {
      const before = await store.progress();
      const results = await Promise.all(
        handles.map((handle, number) => {
          const who = under.transactions ? number : n.toString();
          return handle.apply(before, [put([1], { who }), put([2], { who })], at(n));
        }),
      );
      t.equal(results.filter((done) => done).length, 1);
      const winner = under.transactions ? results.indexOf(true) : n.toString();
      t.strictSame([await read(store, [1]), await read(store, [2])], [{ who: winner }, { who: winner }]);
    }
  });

  t.test('what one handle applied, the other sees at once', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let n = 1; n <= 20; n++) {
      const position = await write(n % 2 === 0 ? store : other, put([1], { n }));
      const reader = n % 2 === 0 ? other : store;
      t.equal(await reader.reached(position, 0), true);
      t.strictSame(await read(reader, [1]), { n });
    }
  });

  t.test('waiting ends when it is reached, from whichever handle, and not before', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const reached: string[] = [];
    const wait = async (name: string, handle: typeof store, position: bigint) => {
      if (await handle.reached(position, 60_000)) reached.push(name);
    };
    const first = [wait('own 1', store, 1n), wait('other 1', other, 1n)];
    const second = [wait('own 2', store, 2n), wait('other 2', other, 2n)];
    await write(store);
    await Promise.all(first);
    t.strictSame(reached.toSorted(), ['other 1', 'own 1']);
    await write(other);
    await Promise.all(second);
    t.equal(reached.length, 4);
  });

  t.test('waiting ends with false at the time-out, and when the store is closed', async (t) => {
    const { store, under } = await fresh(t);
    t.equal(await store.reached(1n, 0), false);
    t.equal(await store.reached(1n, 30), false);
    const other = await under.open();
    const waiting = other.reached(1n, 60_000);
    await other.close();
    t.equal(await waiting, false);
    await write(store);
    t.equal(await store.reached(1n, 0), true);
  });

  t.test('a part is not yet its event', async (t) => {
    const { store } = await fresh(t);
    await store.apply(START, [], at(1n));
    await store.apply(at(1n), [], at(1n, 3));
    t.equal(await store.reached(1n, 0), true);
    t.equal(await store.reached(2n, 0), false);
  });

  t.test('broken streams are remembered until they are whole', async (t) => {
    const { store, under } = await fresh(t);
    const one = { stream: 'survey-1', revision: 3, problem: 'its shape' };
    const two = { stream: 'company-7', revision: 0, problem: 'its chain' };
    await store.recordParked(one);
    await store.recordParked(two);
    await store.recordParked({ ...two, revision: 4 });
    const other = await under.open();
    const recorded = (await other.parkedStreams()).toSorted((a, b) => (a.stream < b.stream ? -1 : 1));
    t.strictSame(recorded, [{ ...two, revision: 4 }, one]);
    t.equal(await other.clearParked('survey-1', at(1n)), false, 'only at the right progress');
    t.equal(await other.clearParked('survey-1', START), true);
    t.strictSame(await store.parkedStreams(), [{ ...two, revision: 4 }]);
    t.strictSame(await store.progress(), START);
  });

  t.test('nobody passes events by for a stream that is whole again', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    await store.recordParked({ stream: 'survey-1', revision: 0, problem: 'its shape' });
    t.equal(await store.apply(START, [], at(1n), ['survey-1']), true);
    t.equal(await store.apply(at(1n), [], at(2n), ['survey-1', 'survey-2']), false);
    t.equal(await other.clearParked('survey-1', at(1n)), true);
    t.equal(await store.apply(at(1n), [], at(2n), ['survey-1']), false);
    t.strictSame(await store.progress(), at(1n));
  });

  t.test('clearing and passing by at once: one of them is refused', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let n = 1n; n <= 20n; n++) {
      const before = await store.progress();
      await store.recordParked({ stream: 'survey-1', revision: 0, problem: 'its shape' });
      const results = await Promise.all([
        store.apply(before, [], at(n), ['survey-1']),
        other.clearParked('survey-1', before),
      ]);
      t.equal(results.filter((done) => done).length, 1);
      if (!results[0]) await store.apply(before, [], at(n));
    }
  });
  t.end();
}
