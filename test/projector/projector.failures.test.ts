import { projections, retryStreams, runProjector, type Projection } from '@rollcall/projector';
import { EventLogUnavailable, ReadModelsUnavailable } from '@rollcall/application';

import t from 'tap';
import {
  append,
  openRig,
  contents,
  document,
  largeRefusal,
  projectAll,
  survey,
  whileProjecting,
} from './projector.support.js';
import { seen, watched } from './watched.support.js';
import { exactly } from '../support/exactly.js';

t.test('a missing store stops everything; it is tried again after growing delays', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'first'));
  let failures = 8;
  const readModels = watched(on.readModels, {
    write: () => {
      failures -= 1;
      if (failures >= 0) throw new ReadModelsUnavailable('away');
    },
  });
  const delays: number[] = [];
  const sleep = async (ms: number) => void delays.push(ms);
  await projectAll({ ...on, readModels, projections, sleep });
  t.strictSame(delays, [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]);
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'first' });
});

t.test('a log that is away breaks no stream', async (t) => {
  const on = await openRig(t);
  await append(on, 'operation-1', largeRefusal());
  let failures = 2;
  const log = { ...on.log };
  log.readStream = (stream, options) => {
    failures -= 1;
    if (failures >= 0) throw new EventLogUnavailable('away');
    return on.log.readStream(stream, options);
  };
  await projectAll({ ...on, log, projections, sleep: async () => undefined });
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.equal((await contents(on.readModels)).length, 1);
});

/** Fails at the surveys that are called so, with a text that nobody may see. */
const failing = (state: { poison: string }): Projection => ({
  collection: 'seen',
  changes: {
    SurveyCreated: ({ data }) => {
      const text = JSON.stringify(data);
      if (text.includes(state.poison)) throw new SyntaxError(`secret ${text}`);
      return [];
    },
  },
});

t.test(
  'an event that cannot be applied stops its stream and no other, until it is projected again',
  async (t) => {
    const on = await openRig(t);
    const state = { poison: 'bad' };
    const logged: object[] = [];
    const note = (details: object) => void logged.push(details);
    const run = {
      ...on,
      projections: [failing(state), ...projections],
      logger: { info: note, warn: note, error: note },
    };
    await append(on, 'survey-1', [survey(1, 'good'), survey(1, 'bad'), survey(1, 'later')]);
    await append(on, 'survey-2', survey(2, 'good'));
    await projectAll(run);
    await append(on, 'survey-1', survey(1, 'last'));
    await append(on, 'survey-2', survey(2, 'better'));
    await projectAll(run);
    const [broken, ...others] = await on.readModels.parkedStreams();
    t.strictSame(others, []);
    t.strictSame(broken, { stream: 'survey-1', revision: 1, problem: 'SyntaxError while it was projected' });
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'good' });
    t.match(await document(on.readModels, 'surveys', [7, 2]), { name: 'better' });
    t.equal(logged.length, 2, 'when it broke, and at the second start');
    t.notMatch(JSON.stringify(logged), /secret|bad/);

    t.match(await retryStreams(run, 'survey-1'), { stream: 'survey-1', revision: 1 }, 'not mended yet');
    state.poison = 'nothing';
    t.equal(await retryStreams(run, 'survey-1'), 'whole');
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'last' });
    t.strictSame(await on.readModels.parkedStreams(), []);
    t.equal(await retryStreams(run, 'survey-1'), 'whole', 'nothing to do');
    await append(on, 'survey-1', survey(1, 'the very last'));
    await projectAll(run);
    t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'the very last' });
  },
);

t.test('a start after the mend makes a broken stream whole', async (t) => {
  const on = await openRig(t);
  const state = { poison: 'bad' };
  const run = { ...on, projections: [failing(state), ...projections] };
  await append(on, 'survey-1', [survey(1, 'bad'), survey(1, 'later')]);
  await projectAll(run);
  t.equal((await on.readModels.parkedStreams()).length, 1);
  state.poison = 'nothing';
  const position = await append(on, 'survey-1', survey(1, 'last'));
  await projectAll(run);
  t.equal(await on.readModels.reachedPosition(position, 0), true);
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.match(await document(on.readModels, 'surveys', [7, 1]), { name: 'last' });
});

t.test('a stream that is projected again beside a running projector misses nothing', async (t) => {
  const on = await openRig(t);
  for (let round = 0; round < 10; round += 1) {
    const state = { poison: 'bad' };
    const run = { ...on, projections: [failing(state), ...projections] };
    await append(on, 'survey-1', survey(1, `bad ${round}`));
    await whileProjecting(run, async () => {
      const writing = (async () => {
        let last = 0n;
        for (let n = 0; n < 10; n += 1) last = await append(on, 'survey-1', survey(1, `${round}-${n}`));
        return last;
      })();
      state.poison = 'nothing';
      await retryStreams(run, 'survey-1');
      t.equal(await on.readModels.reachedPosition(await writing, 10_000), true);
      t.equal(await retryStreams(run, 'survey-1'), 'whole');
      t.match(await document(on.readModels, 'surveys', [7, 1]), { name: `${round}-9` });
    });
  }
});

t.test(
  'an event outside the catalogue, or with other data than it says, breaks its stream only',
  async (t) => {
    const on = await openRig(t);
    await append(on, 'survey-1', survey(1, 'good'));
    const stored = await on.log.readLast('survey-1');
    if (stored === undefined) throw new Error('lost');
    const { id, contentType, data, metadata } = stored;
    const wrong = { id, contentType, data, metadata };
    await on.log.append('survey-7', 'no-stream', [{ ...wrong, type: 'SurveyForgotten' }]);
    await on.log.append('survey-8', 'no-stream', [{ ...wrong, type: 'SurveyCreated.v9' }]);
    await on.log.append('survey-9', 'no-stream', [
      { ...wrong, type: 'SurveyCreated', data: Buffer.from('{"name":1}') },
    ]);
    await on.log.append('survey-10', 'no-stream', [
      { ...wrong, type: 'SurveyCreated', metadata: Buffer.from('{}') },
    ]);
    await append(on, 'survey-2', survey(2, 'good'));
    await projectAll({ ...on, projections });
    const broken = await on.readModels.parkedStreams();
    t.strictSame(broken.map(({ stream }) => stream).toSorted(), [
      'survey-10',
      'survey-7',
      'survey-8',
      'survey-9',
    ]);
    t.equal((await contents(on.readModels)).length, 2);
  },
);

t.test(
  'a document that cannot be written breaks its stream, not those of the same transaction',
  async (t) => {
    const on = await openRig(t);
    const long: Projection = {
      collection: 'seen',
      changes: {
        SurveyCreated: ({ stream, revision }) => {
          const name = stream === 'survey-2' && revision === 1 ? 'x'.repeat(3_000) : stream;
          return [seen([revision, name], {})];
        },
      },
    };
    const run = { ...on, projections: [long] };
    for (const stream of ['survey-1', 'survey-2', 'survey-3']) {
      await append(on, stream, [survey(1, 'a'), survey(1, 'b'), survey(1, 'c')]);
    }
    await projectAll(run);
    const [broken] = await on.readModels.parkedStreams();
    t.match(broken, { stream: 'survey-2', revision: 1, problem: /longer than/ });
    const found = (await contents(on.readModels, ['seen'])).filter((one) => one.startsWith('seen'));
    t.equal(found.length, 7);
  },
);

t.test('read models that are ahead of the log are not followed', async (t) => {
  const on = await openRig(t);
  await on.readModels.advance({ position: undefined }, { position: 1_000n });
  await append(on, 'survey-1', survey(1, 'first'));
  const end = new AbortController();
  const problems: object[] = [];
  const note = (details: object) => {
    problems.push(details);
    end.abort();
  };
  await runProjector({
    ...on,
    projections,
    signal: end.signal,
    logger: { info: note, warn: note, error: note },
  });
  t.match(problems, exactly([{ problem: /as after the restore of an older log/ }]));
  t.equal((await on.readModels.progress()).position, 1_000n);
});
