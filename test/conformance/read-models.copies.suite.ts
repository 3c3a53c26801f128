import {
  GenerationReplaced,
  type CopySource,
  type DocumentKey,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './read-models.suite.js';
import { at, indexed, put, read, remove, START, write } from './read-models.support.js';
import { exactly } from '../support/exactly.js';

const OLD = 'things:1 others:1 dated:1 streams:1';
const NEW = 'things:1 others:2 dated:1 streams:1';
const never = new AbortController().signal;

async function claimed(store: ReadModels, builder: string, lapsed?: string): Promise<ReadModelGeneration> {
  const turn = await store.claimBuild(builder, lapsed);
  if (turn.kind !== 'claimed') throw new Error(`${turn.kind} for ${builder}`);
  return turn.generation;
}

async function sourceOf(generation: ReadModelGeneration): Promise<CopySource> {
  const source = await generation.copySource();
  if (source === undefined) throw new Error('no generation to copy from');
  return source;
}

const dated = (key: DocumentKey, revision: number, due: readonly number[]) =>
  put(key, { due }, { collection: 'dated', revision, indexed: { due } });

/** A build may begin with collections of another version. */
export function copyTests(t: Test, fresh: OpenFresh): void {
  t.test('a copied document is as if it had been written', async (t) => {
    const { store, under } = await fresh(t, OLD);
    await store.beginEmpty();
    const others = put([1], { n: 'others' }, { collection: 'others' });
    await write(store, put([1], { n: 1 }, { revision: 4 }), put([2], { n: 2 }, { revision: 4 }), others);
    await write(store, remove([2], { revision: 7 }));
    await write(store, dated([1, 'é'], 2, [7, 100]), dated([2], 2, [7, 200]), dated([3], 2, [7, 300]));
    await write(store, dated([2], 3, [7, 50]), remove([3], { collection: 'dated', revision: 3 }));
    const park = [{ stream: 'survey-1', revision: 0, problem: 'its shape' }];
    await store.advance(START, at(1n), { park });
    const next = await claimed(await under.open(NEW), 'builder');
    const source = await sourceOf(next);
    t.strictSame(source.unchanged, ['things', 'dated', 'streams']);
    t.strictSame(await source.readModels.progress(), at(1n));
    t.strictSame(await source.readModels.parkedStreams(), park);
    for (const name of ['dated', 'things']) await source.copy(name, never);
    await write(store, put([1], { n: 'later' }, { revision: 9 }), put([9], { n: 'later' }));
    await write(store, dated([1, 'é'], 9, [7, 1]), dated([9], 1, [7, 1]));
    t.strictSame([await read(next, [1]), await read(next, [2]), await read(next, [9])], [{ n: 1 }, ...none]);
    t.match(
      await next.newest('things', [[1], [2], [9]]),
      exactly([{ revision: 4 }, { revision: 7, value: undefined }, undefined]),
      'with revisions, and what was removed',
    );
    t.strictSame(await indexed(next, { prefix: [7] }), [[2], [1, 'é']]);
    t.same(await read(next, [1], 'others'), undefined);
    t.strictSame([await next.progress(), await next.parkedStreams()], [START, []]);
    await write(next, dated([2], 3, [7, 1]), dated([1, 'é'], 4, [7, 400]));
    t.strictSame(await indexed(next, { prefix: [7] }), [[2], [1, 'é']]);
    t.strictSame(await indexed(next, { prefix: [7], from: 300 }), [[1, 'é']]);
    t.strictSame(await read(store, [1]), { n: 'later' }, 'the other goes on');
    t.strictSame(await read(source.readModels, [1]), {
      n: 'later',
    });
  });

  t.test('a newer document stays, and an older one goes', async (t) => {
    const { store, under } = await fresh(t, OLD);
    await store.beginEmpty();
    await write(store, put([1], { n: 'older' }, { revision: 4 }), put([2], { n: 'copied' }, { revision: 4 }));
    await write(store, dated([1], 4, [7, 100]));
    const next = await claimed(await under.open(NEW), 'builder');
    await write(next, put([1], { n: 'newer' }, { revision: 5 }), put([2], { n: 'older' }, { revision: 3 }));
    await write(next, dated([1], 3, [7, 50]));
    const source = await sourceOf(next);
    for (const name of ['things', 'dated']) await source.copy(name, never);
    t.strictSame([await read(next, [1]), await read(next, [2])], [{ n: 'newer' }, { n: 'copied' }]);
    t.strictSame(await indexed(next, { prefix: [7], upTo: 60 }), []);
    t.strictSame(await indexed(next, { prefix: [7] }), [[1]]);
  });

  t.test('many documents, and large ones', { timeout: 120_000 }, async (t) => {
    const { store, under } = await fresh(t, OLD);
    await store.beginEmpty();
    const large = 'x'.repeat(3_000_000);
    for (let from = 0; from < 6_000; from += 2_000)
      await store.write([Array.from({ length: 2_000 }, (_, n) => put([from + n], { n: from + n }))]);
    for (let n = 6_000; n < 6_005; n += 1) await write(store, put([n], { n, large }));
    const next = await claimed(await under.open(NEW), 'builder');
    await (await sourceOf(next)).copy('things', never);
    let found = 0;
    for await (const batch of next.findBatches('things', { prefix: [] }))
      for (const { key } of batch) found += Number(key[0] === found);
    t.equal(found, 6_005);
    t.strictSame(await read(next, [6_004]), { n: 6_004, large });
  });

  t.test('the source is the newest complete generation of another version', async (t) => {
    const unchanged = async (older: string | undefined, newer: string) => {
      const { store, under } = await fresh(t, older);
      await store.newGeneration().then((begun) => begun.switchTo());
      const next = await claimed(await under.open(newer), 'builder');
      return (await next.copySource())?.unchanged;
    };
    t.strictSame(await unchanged(OLD, NEW), ['things', 'dated', 'streams']);
    t.strictSame(await unchanged('things:11', 'things:1'), []);
    t.strictSame(await unchanged('f00d', 'f00d things:1'), [], 'a version that names no collections');
    t.equal(await unchanged(undefined, NEW), undefined, 'one that is not known');
    const { store, under } = await fresh(t, OLD);
    await store.newGeneration();
    const next = await claimed(await under.open(NEW), 'builder');
    t.equal(await next.copySource(), undefined, 'one that is incomplete');
    for (const version of [OLD, 'things:1 others:9'])
      await (await under.open(version)).newGeneration().then((begun) => begun.switchTo());
    t.strictSame((await next.copySource())?.unchanged, ['things']);
  });

  t.test('the progress notes what is copied', async (t) => {
    const { store } = await fresh(t, OLD);
    const next = await store.newGeneration();
    const half = { ...START, copied: { names: ['things'] } };
    t.equal(await next.advance(START, half), true);
    t.strictSame(await next.progress(), half);
    const moved = { position: 5n, copied: { names: ['things'], upTo: 4n } };
    t.equal(await next.advance(START, moved), true);
    t.strictSame(await next.progress(), moved);
    await next.switchTo();
    t.strictSame(await store.progress(), moved);
  });

  t.test('a copy ends with its signal, and with the claim', async (t) => {
    const { store, under } = await fresh(t, OLD);
    await store.beginEmpty();
    await write(store, put([1], {}));
    const [first, second] = [await under.open(NEW), await under.open(NEW)];
    const lost = await claimed(first, 'first');
    const source = await sourceOf(lost);
    await t.rejects(source.copy('things', AbortSignal.abort()));
    const held = await second.claimBuild('second');
    const own = await claimed(second, 'second', held.kind === 'held' ? held.claim : '');
    t.equal(own.name, lost.name);
    await t.rejects(source.copy('things', never), GenerationReplaced);
    t.same(await read(own, [1]), undefined);
  });
  t.end();
}

const none = [undefined, undefined];
