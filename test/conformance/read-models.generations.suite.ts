import { GenerationReplaced, ReadModelsUnavailable } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { advance, at, documents, put, read, remove, START, write } from './read-models.support.js';

const HOUR = 3_600_000;

export function generationTests(t: Test, fresh: OpenFresh): void {
  t.test('nobody reads a generation until it is switched to', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    await write(store, put([1], { n: 'old' }), put([2], { n: 'old' }));
    await store.advance(START, at(1n), { park: [{ stream: 'survey-1', revision: 0, problem: 'its shape' }] });
    const next = await store.newGeneration();
    t.strictSame(await next.progress(), START);
    t.strictSame(await next.parkedStreams(), []);
    await write(next, put([1], { n: 'new' }, { revision: 0 }));
    t.equal(await next.advance(START, at(9n)), true);
    t.strictSame(await read(next, [1]), { n: 'new' });
    t.strictSame(await documents(other, { prefix: [] }), [{ n: 'old' }, { n: 'old' }]);
    t.strictSame(await other.progress(), at(1n));
    t.equal(await other.reachedPosition(9n, 0), false);
    const waiting = other.reachedPosition(9n, 60_000);
    const held = await store.liveGeneration();
    await next.switchTo();
    t.equal(await waiting, true, 'other handles notice');
    t.strictSame(await documents(store, { prefix: [] }), [{ n: 'new' }]);
    t.strictSame(await documents(other, { prefix: [] }), [{ n: 'new' }]);
    t.strictSame(await other.parkedStreams(), []);
    await t.rejects(held.advance(at(1n), at(2n)), GenerationReplaced, 'who went on with the old one is told');
    t.strictSame(await (await under.open()).progress(), at(9n));
  });

  t.test('a new generation has no tombstone of the one before', async (t) => {
    const { store } = await fresh(t);
    const held = await store.liveGeneration();
    await write(held, put([1], {}, { revision: 4 }));
    await write(held, remove([1], { revision: 5 }));
    t.strictSame(await held.newest('things', [[1]]), [{ revision: 5, value: undefined }]);
    await (await store.newGeneration()).switchTo();
    const live = await store.liveGeneration();
    t.strictSame(await live.newest('things', [[1]]), [undefined]);
    await write(live, put([1], { n: 'again' }, { revision: 4 }));
    t.strictSame(await read(store, [1]), { n: 'again' });
  });

  t.test('who holds a generation writes to no other, and to none once a newer one is live', async (t) => {
    const { store, under } = await fresh(t);
    const held = await (await under.open()).liveGeneration();
    await write(held, put([1], { n: 'held' }));
    await held.advance(START, at(1n));
    const [older, newer] = [await store.newGeneration(), await store.newGeneration()];
    await write(older, put([1], { n: 'older' }));
    await newer.advance(START, at(1n));
    await held.ensureLive();
    await newer.switchTo();
    for (const one of [held, older]) {
      await t.rejects(one.newest('things', [[1]]), GenerationReplaced);
      await t.rejects(write(one, put([1], { n: 'late' }, { revision: 5 })), GenerationReplaced);
      const documents = [[put([2], { n: 'late' })]];
      await t.rejects(one.advance(await one.progress(), at(2n), { documents }), GenerationReplaced);
      t.same(await read(one, [2]), undefined);
    }
    await t.rejects(held.ensureLive(), GenerationReplaced);
    t.strictSame([await read(held, [1]), await read(older, [1])], [{ n: 'held' }, { n: 'older' }]);
    t.strictSame([await held.progress(), await store.progress()], [at(1n), at(1n)]);
    t.same(await read(store, [1]), undefined, 'nothing came into the live one');
    t.equal(await (await store.liveGeneration()).advance(at(1n), at(2n)), true);
  });

  t.test('who holds it while another switches writes before it, or not at all', async (t) => {
    const { store, under } = await fresh(t);
    const other = await under.open();
    for (let round = 0; round < 20; round += 1) {
      const held = await other.liveGeneration();
      const next = await store.newGeneration();
      const moves = [1, 2, 3].map(async (n) => {
        for (let at = 0; at < n; at += 1) await new Promise(setImmediate);
        const progress = await held.progress();
        return held.advance(progress, { position: (progress.position ?? 0n) + 1n });
      });
      const [, ...outcomes] = await Promise.allSettled([next.switchTo(), ...moves]);
      for (const one of outcomes)
        if (one.status === 'rejected') t.ok(one.reason instanceof GenerationReplaced, String(one.reason));
      t.strictSame(await store.progress(), START);
    }
  });

  t.test('an iteration that began before the switch ends in the generation where it began', async (t) => {
    const { store } = await fresh(t);
    await write(store, ...Array.from({ length: 1_500 }, (_, n) => put([n], { n: 'old' })));
    const seen = new Set<string>();
    let count = 0;
    for await (const { value } of store.find('things', { prefix: [] })) {
      if (count === 0) await (await store.newGeneration()).switchTo();
      seen.add(Buffer.from(value).toString());
      count += 1;
    }
    t.strictSame([count, ...seen], [1_500, '{"n":"old"}']);
  });

  t.test('the generations that there are', async (t) => {
    const { store } = await fresh(t);
    const states = async (): Promise<string[]> =>
      (await store.generations()).map(({ name, status }) => `${name} ${status}`);
    t.strictSame(await states(), ['generation-1 live']);
    const next = await store.newGeneration();
    t.strictSame(await states(), ['generation-1 live', `${next.name} building`]);
    await next.advance(START, at(7n));
    const positions = (await store.generations()).map(({ progress }) => progress.position);
    t.strictSame(positions, [undefined, 7n], 'and how far each of them is');
    await next.switchTo();
    t.strictSame(await states(), ['generation-1 retired', `${next.name} live`]);
    for (const { at: when } of await store.generations()) t.type(when, 'number');
  });

  t.test('a dropped generation takes no more', async (t) => {
    const { store } = await fresh(t);
    await write(store, put([1], { n: 'old' }));
    const next = await store.newGeneration();
    await write(next, put([1], { n: 'new' }));
    await next.drop();
    await t.rejects(write(next, put([1], {})), ReadModelsUnavailable);
    await t.rejects(next.advance(START, at(2n)), ReadModelsUnavailable);
    await t.rejects(next.switchTo(), ReadModelsUnavailable);
    t.strictSame(await read(store, [1]), { n: 'old' });
    t.not((await store.newGeneration()).name, next.name);
  });

  t.test('the old one goes an hour later, an unfinished one an hour after its renewal', async (t) => {
    const { store, under } = await fresh(t);
    await write(store, put([1], { n: 'first' }));
    const left = await store.newGeneration();
    await write(left, put([1], { n: 'left alone' }));
    await advance(left);
    const second = await store.newGeneration();
    const busy = await store.newGeneration();
    await write(second, put([1], { n: 'second' }));
    await advance(second);
    under.clock.at += HOUR / 2;
    await write(left, put([1], { n: 'by a helper' }));
    await advance(left);
    await second.switchTo();
    under.clock.at += HOUR / 2;
    await busy.renewClaim();
    await advance(busy);
    await (await under.open()).close();
    t.strictSame(await left.progress(), at(2n), 'not yet');
    under.clock.at += 1;
    await (await under.open()).close();
    await t.rejects(left.advance(at(2n), at(3n)), ReadModelsUnavailable);
    t.strictSame(await busy.progress(), at(1n));
    t.strictSame(await read(store, [1]), { n: 'second' });
  });
  t.end();
}
