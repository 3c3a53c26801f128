import {
  LogCorrupt,
  ReadModelsUnavailable,
  type EventLog,
  type ReadModels,
  type RecordedEvent,
} from '@rollcall/application';
import { projections, retryStreams, type Projection } from '@rollcall/projector';

import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { append, openRig, document, projectAll, survey, whileProjecting } from './projector.support.js';
import { seen, watched } from './watched.support.js';

/** Notes each revision of a survey's stream, and fails at surveys of these names. */
const noting = (poison: ReadonlySet<string>): Projection => ({
  collection: 'seen',
  changes: {
    SurveyCreated: ({ stream, revision, data: { name } }) => {
      if (poison.has(name)) throw new RangeError('it cannot be applied');
      return [seen([revision, stream], { name }), seen([-1, stream], { name })];
    },
  },
});

/** A store that is gone once behind the note that a stream is parked. */
function goneOnceParked(readModels: ReadModels): ReadModels {
  let isThere = true;
  return withMembers(readModels, {
    advance: async (expected, next, streams) => {
      const done = await readModels.advance(expected, next, streams);
      if (streams?.park === undefined || !isThere) return done;
      isThere = false;
      throw new ReadModelsUnavailable('away');
    },
  });
}

t.test(
  'what stands before the event that parks its stream is written first: an end between the two loses nothing',
  async (t) => {
    const on = await openRig(t);
    const names = ['first', 'second', 'bad', 'last'];
    await append(
      on,
      'survey-1',
      names.map((name) => survey(1, name)),
    );
    const readModels = goneOnceParked(on.readModels);
    const sleep = () => Promise.resolve();
    await projectAll({ ...on, readModels, projections: [noting(new Set(['bad']))], sleep });
    t.match(await on.readModels.parkedStreams(), [{ stream: 'survey-1', revision: 2 }]);
    t.same(await retryStreams({ ...on, projections: [noting(new Set())] }, 'survey-1'), 'whole');
    t.strictSame(await on.readModels.parkedStreams(), []);
    for (const [revision, name] of names.entries())
      t.same(await document(on.readModels, 'seen', [revision, 'survey-1']), { name }, name);
  },
);

t.test('a parked stream whose events others have taken', async (t) => {
  const on = await openRig(t);
  const poison = new Set(['bad']);
  const run = { projections: [noting(poison)], sleep: () => Promise.resolve() };
  await append(on, 'survey-1', [survey(1, 'bad'), survey(1, 'later')]);
  await append(on, 'survey-2', [survey(2, 'whole')]);
  await projectAll({ ...on, ...run });
  poison.clear();
  const parked = { stream: 'survey-1', revision: 0, problem: 'its events are gone' };
  const cannotBeRead: Partial<EventLog> = {
    readStream: (stream, options) =>
      stream === 'survey-1' ? failing(new LogCorrupt(parked.problem)) : on.log.readStream(stream, options),
  };
  const nothingToRead: Partial<EventLog> = {
    readStream: (stream, options) => (stream === 'survey-1' ? failing() : on.log.readStream(stream, options)),
    findDamage: () => given([{ ...parked, kind: 'damage' }]),
  };
  for (const members of [cannotBeRead, nothingToRead]) {
    const log = withMembers(on.log, members);
    await append(on, 'survey-2', [survey(2, 'more')]);
    await projectAll({ ...on, ...run, log });
    t.match(await on.readModels.parkedStreams(), [parked], 'it waits, and others go on');
  }
  t.same(await document(on.readModels, 'seen', [2, 'survey-2']), { name: 'more' });
  await append(on, 'survey-2', [survey(2, 'more')]);
  await projectAll({ ...on, ...run });
  t.strictSame(await on.readModels.parkedStreams(), [], 'a start with the events there again');
  t.same(await document(on.readModels, 'seen', [1, 'survey-1']), { name: 'later' });
});

/** Gives these, and then fails where it has an error. */
async function* given<T>(items: readonly T[], error?: Error): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
  if (error !== undefined) throw error;
}

const failing = (error?: Error): AsyncGenerator<RecordedEvent> => given<RecordedEvent>([], error);

/** A retry that stands still before its first write. */
function held(readModels: ReadModels) {
  let [reach, open] = [(): void => undefined, (): void => undefined];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow = watched(readModels, { write: () => (reach(), gate) });
  return { readModels: slow, reached, open: () => open() };
}

t.test('a retry that is overtaken changes nothing any more', async (t) => {
  const poison = new Set(['bad']);
  const run = { projections: [noting(poison), ...projections] };

  t.test('by one that made the stream healthy', async (t) => {
    const on = await openRig(t);
    poison.add('bad');
    await append(on, 'survey-1', [survey(1, 'bad'), survey(1, 'later')]);
    await projectAll({ ...on, ...run });
    poison.clear();
    const { readModels, reached, open } = held(on.readModels);
    const slow = retryStreams({ ...on, ...run, readModels }, 'survey-1');
    await reached;
    t.same(await retryStreams({ ...on, ...run }, 'survey-1'), 'whole');
    await append(on, 'survey-1', survey(1, 'newest'));
    await projectAll({ ...on, ...run });
    open();
    t.same(await slow, 'whole');
    t.same(await document(on.readModels, 'seen', [-1, 'survey-1']), { name: 'newest' });
    t.strictSame(await on.readModels.parkedStreams(), []);
  });

  t.test('by one that parked it at a later event', async (t) => {
    const on = await openRig(t);
    poison.add('bad');
    await append(on, 'survey-1', [survey(1, 'bad'), survey(1, 'good'), survey(1, 'worse')]);
    await projectAll({ ...on, ...run });
    poison.clear();
    poison.add('worse');
    const { readModels, reached, open } = held(on.readModels);
    const slow = retryStreams({ ...on, ...run, readModels }, 'survey-1');
    await reached;
    await whileProjecting({ ...on, ...run }, async () => {
      t.match(await retryStreams({ ...on, ...run }, 'survey-1'), { revision: 2 });
      const other = await append(on, 'survey-2', survey(2, 'other'));
      t.equal(await on.readModels.reachedPosition(other, 20_000), true);
    });
    open();
    t.match(await slow, { revision: 2 });
    t.same(await document(on.readModels, 'seen', [-1, 'survey-1']), { name: 'good' });
    t.match(await on.readModels.parkedStreams(), [{ stream: 'survey-1', revision: 2 }]);
  });
});

t.test('a projector that still passes a stream by takes it up where another one mended it', async (t) => {
  const on = await openRig(t);
  const poison = new Set(['bad']);
  const run = { ...on, projections: [noting(poison)], sleep: () => Promise.resolve() };
  await append(on, 'survey-1', survey(1, 'bad'));
  await whileProjecting(run, async () => {
    const other = await append(on, 'survey-2', survey(2, 'other'));
    t.equal(await on.readModels.reachedPosition(other, 20_000), true);
    t.match(await on.readModels.parkedStreams(), [{ stream: 'survey-1', revision: 0 }]);
    poison.clear();
    t.same(await retryStreams(run, 'survey-1'), 'whole');
    const later = await append(on, 'survey-1', survey(1, 'later'));
    t.equal(await on.readModels.reachedPosition(later, 20_000), true);
    t.same(await document(on.readModels, 'seen', [1, 'survey-1']), { name: 'later' });
  });
});
