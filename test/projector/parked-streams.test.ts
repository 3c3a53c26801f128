import {
  LogCorrupt,
  ReadModelsUnavailable,
  type EventLog,
  type LoadedEvent,
  type ReadModels,
  type RecordedEvent,
} from '@rollcall/application';
import { projections, rebuild, retryStreams, type Projection } from '@rollcall/projector';

import t from 'tap';
import { withMembers } from '../support/with-members.js';
import { withLive } from '../support/writable.js';
import { append, openRig, document, projectAll, survey, whileProjecting } from './projector.support.js';
import { seen, watched } from './watched.support.js';
import { exactly } from '../support/exactly.js';

/** Notes each revision of a survey's stream, and fails at surveys of these names: when it reads them, or as it is `late`. */
const noting = (poison: ReadonlySet<string>, isLate = false): Projection => ({
  collection: 'seen',
  changes: {
    SurveyCreated: ({ stream, revision, data: { name } }) => {
      const fail = (): void => {
        if (poison.has(name)) throw new RangeError('it cannot be applied');
      };
      if (!isLate) fail();
      const noted = seen([revision, stream], { name });
      return [{ ...noted, evolve: (stored) => (fail(), noted.evolve(stored)) }, seen([-1, stream], { name })];
    },
  },
});

const byStream = (one: { stream: string }, other: { stream: string }): number =>
  one.stream < other.stream ? -1 : 1;

/** A store that is gone once behind the note that a stream is parked. */
function goneOnceParked(readModels: ReadModels): ReadModels {
  let isThere = true;
  return withLive(readModels, (live) => ({
    advance: async (expected, next, streams) => {
      const done = await live.advance(expected, next, streams);
      if (streams?.park === undefined || !isThere) return done;
      isThere = false;
      throw new ReadModelsUnavailable('away');
    },
  }));
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
    t.match(await on.readModels.parkedStreams(), exactly([{ stream: 'survey-1', revision: 2 }]));
    t.same(await retryStreams({ ...on, projections: [noting(new Set())] }, 'survey-1'), 'whole');
    t.strictSame(await on.readModels.parkedStreams(), []);
    for (const [revision, name] of names.entries())
      t.same(await document(on.readModels, 'seen', [revision, 'survey-1']), { name }, name);
  },
);

for (const isLate of [false, true])
  t.test(`streams that fail in one batch are parked at once, ${isLate ? 'applied' : 'read'}`, async (t) => {
    const on = await openRig(t);
    const failing = Array.from({ length: 40 }, (_, n) => `survey-${n + 10}`);
    await append(on, 'survey-1', [survey(1, 'first'), survey(1, 'second')]);
    for (const stream of failing) await append(on, stream, [survey(1, 'good'), survey(1, 'bad')]);
    for (const stream of failing) await append(on, stream, [survey(1, 'bad'), survey(1, 'later')]);
    await append(on, 'survey-1', survey(1, 'last'));
    const run = { log: on.log, projections: [noting(new Set(['bad']), isLate)] };
    let moves = 0;
    const readModels = watched(on.readModels, {
      advance: (_expected, _next, changes) => (moves += changes?.park === undefined ? 0 : 1),
    });
    await projectAll({ ...run, readModels });
    t.equal(moves, 1);
    const expected = failing.map((stream) => ({ stream, revision: 1 }));
    const parked = async () => (await on.readModels.parkedStreams()).toSorted(byStream);
    t.match(await parked(), expected);
    t.equal((await parked()).length, failing.length);
    t.same(await document(on.readModels, 'seen', [-1, 'survey-1']), { name: 'last' });
    t.same(await document(on.readModels, 'seen', [-1, 'survey-49']), { name: 'good' });
    await rebuild(on.readModels, run);
    t.match(await parked(), expected, 'and a rebuild ends');
    t.same(await document(on.readModels, 'seen', [-1, 'survey-1']), { name: 'last' });
  });

for (const isLate of [false, true])
  t.test(`a failed event and a large one behind it, ${isLate ? 'applied' : 'read'}`, async (t) => {
    const on = await openRig(t);
    const large = survey(1, 'x'.repeat(2_000));
    await append(on, 'survey-1', [survey(1, 'good'), survey(1, 'bad'), large, survey(1, 'bad')]);
    const run = { ...on, projections: [noting(new Set(['bad']), isLate)], largeBytes: 1_000 };
    await projectAll(run);
    t.match(await on.readModels.parkedStreams(), exactly([{ stream: 'survey-1', revision: 1 }]));
    await append(on, 'survey-2', survey(2, 'other'));
    await projectAll(run);
    t.strictSame((await on.readModels.progress()).position, await on.log.lastPosition());
  });

t.test('what fails after an event is applied parks its stream at no retry either', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', [survey(1, 'bad'), survey(1, 'last')]);
  await projectAll({ ...on, projections: [noting(new Set(['bad']))] });
  const applied: number[] = [];
  const onApplied = ({ revision }: LoadedEvent): Promise<void> => {
    applied.push(revision);
    return Promise.reject(new TypeError('not done'));
  };
  const logged: object[] = [];
  const note = (details: object): void => void logged.push(details);
  const logger = { info: note, warn: note, error: note };
  const run = { ...on, projections: [noting(new Set())], onApplied, logger };
  t.same(await retryStreams(run, 'survey-1'), 'whole');
  t.strictSame(applied, [0, 1]);
  const found = { stream: 'survey-1', problem: /TypeError/, frames: /parked-streams/ };
  t.match(logged, exactly(applied.map((revision) => ({ ...found, revision }))));
  t.strictSame(await on.readModels.parkedStreams(), []);
  t.same(await document(on.readModels, 'seen', [-1, 'survey-1']), { name: 'last' });
});

t.test('an outage during a retry is reported, and leaves the stream parked as it was', async (t) => {
  const on = await openRig(t);
  await append(on, 'survey-1', survey(1, 'bad'));
  await projectAll({ ...on, projections: [noting(new Set(['bad']))] });
  const before = await on.readModels.parkedStreams();
  const write = (): Promise<void> => Promise.reject(new ReadModelsUnavailable('away'));
  const readModels = withLive(on.readModels, () => ({ write }));
  const run = { ...on, readModels, projections: [noting(new Set())] };
  await t.rejects(retryStreams(run, 'survey-1'), ReadModelsUnavailable);
  t.strictSame(await on.readModels.parkedStreams(), before);
});

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
    t.match(await on.readModels.parkedStreams(), exactly([parked]), 'it waits, and others go on');
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
    t.match(await on.readModels.parkedStreams(), exactly([{ stream: 'survey-1', revision: 2 }]));
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
    t.match(await on.readModels.parkedStreams(), exactly([{ stream: 'survey-1', revision: 0 }]));
    poison.clear();
    t.same(await retryStreams(run, 'survey-1'), 'whole');
    const later = await append(on, 'survey-1', survey(1, 'later'));
    t.equal(await on.readModels.reachedPosition(later, 20_000), true);
    t.same(await document(on.readModels, 'seen', [1, 'survey-1']), { name: 'later' });
  });
});
