import { ReadModelsLate } from '@rollcall/application';
import { projections, runProjector } from '@rollcall/projector';
import t from 'tap';
import { withLive } from '../support/writable.js';
import { append, document, largeRefusal, openRig, projectAll, survey } from './projector.support.js';
import { inParts, PARTS } from './watched.support.js';

t.test('a store that is too slow for many documents at once makes slow progress', async (t) => {
  const on = await openRig(t);
  await append(on, 'operation-1', largeRefusal());
  const asked: number[] = [];
  const readModels = withLive(on.readModels, (live) => ({
    newest: async (collection, keys) => {
      if (collection === 'seen') asked.push(keys.length);
      if (keys.length > 2) throw new ReadModelsLate('it did not answer in time');
      return live.newest(collection, keys);
    },
  }));
  await projectAll({ ...on, readModels, projections: [...projections, inParts] });
  for (let part = 1; part <= PARTS; part += 1)
    t.same(await document(on.readModels, 'seen', [part, 'operation-1']), { part, revision: 0 });
  t.strictSame(asked, [5, 1, 2, 2]);
});

t.test('a store that is too slow for the heads of many streams at once makes slow progress', async (t) => {
  const on = await openRig(t);
  const streams = [1, 2, 3, 4, 5];
  for (const n of streams) await append(on, `survey-${n}`, survey(n, `of stream ${n}`));
  const asked: number[] = [];
  const end = new AbortController();
  const readModels = withLive(on.readModels, (live) => ({
    newest: async (collection, keys) => {
      if (collection === 'streams') asked.push(keys.length);
      if (keys.length > 2) throw new ReadModelsLate('it did not answer in time');
      return live.newest(collection, keys);
    },
  }));
  const sleep = async () => end.abort();
  let applied = 0;
  const onApplied = async (): Promise<void> => {
    applied += 1;
    if (applied === streams.length) end.abort();
  };
  await runProjector({ ...on, readModels, projections, onApplied, sleep, signal: end.signal });
  for (const n of streams)
    t.match(await document(on.readModels, 'surveys', [7, n]), { name: `of stream ${n}` });
  t.strictSame(asked, [5, 1, 2, 2]);
});

t.test('one that does not answer at all is asked once more, and is away', async (t) => {
  const on = await openRig(t);
  await append(on, 'operation-1', largeRefusal());
  const asked: number[] = [];
  const end = new AbortController();
  const readModels = withLive(on.readModels, (live) => ({
    newest: async (collection, keys) => {
      if (collection !== 'seen') return live.newest(collection, keys);
      asked.push(keys.length);
      throw new ReadModelsLate('it did not answer in time');
    },
  }));
  const sleep = async () => end.abort();
  await runProjector({
    ...on,
    readModels,
    projections: [...projections, inParts],
    sleep,
    signal: end.signal,
  });
  t.strictSame(asked, [5, 1]);
  t.strictSame(await on.readModels.parkedStreams(), []);
});
