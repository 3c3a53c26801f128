import type { StreamPlace } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { at, put, read, START, write } from './read-models.support.js';
import { setAside } from '../support/set-aside.js';

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
    await setAside(store, one);
    await setAside(store, two);
    await setAside(store, { ...two, revision: 4 });
    const other = await under.open();
    const recorded = (await other.parkedStreams()).toSorted((a, b) => (a.stream < b.stream ? -1 : 1));
    t.strictSame(recorded, [{ ...two, revision: 4 }, one]);
    t.equal(
      await other.apply(at(1n), [], at(1n), { resumed: 'survey-1' }),
      false,
      'only at the right progress',
    );
    t.equal(await other.apply(START, [], START, { resumed: 'survey-1' }), true);
    t.strictSame(await store.parkedStreams(), [{ ...two, revision: 4 }]);
    t.strictSame(await store.progress(), START);
  });

  t.test('who goes on with a stream writes only where it stands as they left it', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    const place = (revision: number, parts = 0) => ({ stream: 'company-7', revision, parts });
    await setAside(store, { stream: 'company-7', revision: 3 });
    const moves = (expected: StreamPlace, next: StreamPlace, n: number) =>
      other.apply(START, [put([1], { n })], START, { expected, setAside: next });
    t.equal(await moves(place(2, 4), place(3), 1), false, 'an event before');
    t.equal(await moves(place(3, 1), place(3, 2), 2), false, 'another part');
    t.equal(await read(store, [1]), undefined);
    t.equal(await moves(place(3), place(3, 1), 3), true);
    t.equal(await moves(place(3), place(3, 1), 4), false, 'once more');
    t.strictSame(await store.laggingStreams(), [place(3, 1)]);
    t.strictSame(await read(store, [1]), { n: 3 });
    const ends = { expected: place(3), resumed: 'company-7' };
    t.equal(await other.apply(START, [], START, ends), false, 'not resumed by whoever is behind');
    t.equal(await other.apply(START, [], START, { ...ends, expected: place(3, 1) }), true);
    t.equal(await moves(place(3, 1), place(4), 5), false, 'nobody goes on with a stream that is resumed');
    t.strictSame(await read(store, [1]), { n: 3 });
    t.strictSame(await store.laggingStreams(), []);
  });

  t.test('a wait for an event ends where an earlier one of its stream is being projected', async (t) => {
    const { store } = await fresh(t);
    const stream = 'company-7';
    await store.apply(START, [], at(9n), { setAside: { stream, revision: 3 } });
    t.equal(await store.reached(9n, 60_000, { stream, revision: 4 }), false, 'in vain, so at once');
    t.equal(await store.reached(9n, 60_000, { stream: 'company-8', revision: 4 }), true, 'of another stream');
    const own = store.reached(9n, 60_000, { stream, revision: 3 });
    const any = store.reached(9n, 60_000);
    const whole = { expected: { stream, revision: 3 }, resumed: stream };
    t.equal(await store.apply(at(9n), [], at(9n), whole), true);
    t.strictSame(await Promise.all([own, any]), [true, true], 'the event itself is waited for');
  });

  t.test('of several who go on with a stream at once, one does', async (t) => {
    const { store, under } = await fresh(t);
    const handles = [store, await under.open(), await under.open()];
    await setAside(store, { stream: 'company-7', revision: 0 });
    for (let revision = 0; revision < 20; revision += 1) {
      const streams = {
        expected: { stream: 'company-7', revision },
        setAside: { stream: 'company-7', revision: revision + 1 },
      };
      const origin = { position: BigInt(revision) + 1n, part: 1 };
      const writes = [{ ...put([1], { revision }), origin }];
      const results = await Promise.all(handles.map((handle) => handle.apply(START, writes, START, streams)));
      t.equal(results.filter((done) => done).length, 1);
      t.strictSame(await read(store, [1]), { revision });
    }
  });

  t.test('nobody passes events by for a stream that is whole again', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    await setAside(store, { stream: 'survey-1', revision: 0, problem: 'its shape' });
    t.equal(await store.apply(START, [], at(1n), { skipped: ['survey-1'] }), true);
    t.equal(await store.apply(at(1n), [], at(2n), { skipped: ['survey-1', 'survey-2'] }), false);
    t.equal(await other.apply(at(1n), [], at(1n), { resumed: 'survey-1' }), true);
    t.equal(await store.apply(at(1n), [], at(2n), { skipped: ['survey-1'] }), false);
    t.strictSame(await store.progress(), at(1n));
  });

  t.test('clearing and passing by at once: one of them is refused', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let n = 1n; n <= 20n; n++) {
      const before = await store.progress();
      await setAside(store, { stream: 'survey-1', revision: 0, problem: 'its shape' });
      const results = await Promise.all([
        store.apply(before, [], at(n), { skipped: ['survey-1'] }),
        other.apply(before, [], before, { resumed: 'survey-1' }),
      ]);
      t.equal(results.filter((done) => done).length, 1);
      if (!results[0]) await store.apply(before, [], at(n));
    }
  });
  t.end();
}
