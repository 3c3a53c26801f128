import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ReadModelsUnavailable, type ReadModels } from '@rollcall/application';
import { runProjector, type Projection } from '@rollcall/projector';
import fc from 'fast-check';
import { withMembers } from '../support/with-members.js';
import { withLive } from '../support/writable.js';
import { append, contents, survey, type Rig } from './projector.support.js';
import { seen } from './watched.support.js';

type Projecting = Parameters<typeof runProjector>[0] & { readonly readModels: ReadModels };

/** From how many bytes on an event is projected beside the others. */
const largeBytes = 1_500;

/** What becomes of an event: it is applied, or fails as it is read, as it is applied, or as it is written. */
const fate = fc.oneof(
  { weight: 10, arbitrary: fc.constant('good' as const) },
  { weight: 1, arbitrary: fc.constantFrom('unreadable' as const, 'failing' as const, 'unwritable' as const) },
);
const event = fc.record({
  fate,
  isLarge: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
});
type HistoryEvent = typeof event extends fc.Arbitrary<infer E> ? E : never;

const calls = fc.uniqueArray(fc.nat(60), { maxLength: 4 });

export const arbitraryHistory = fc.record({
  streams: fc.array(fc.array(event, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 }),
  /** Whose event comes next. */
  order: fc.array(fc.nat(7), { maxLength: 40 }),
  /** Behind which events the log has come to its end for a moment, which ends a batch. */
  ends: fc.uniqueArray(fc.nat(40), { maxLength: 8 }),
  /** At which calls the store is away, before the call and behind it. */
  away: calls,
  awayBehind: calls,
  /** At which calls the projectors are ended and started again. */
  restarts: calls,
  projectors: fc.integer({ min: 1, max: 2 }),
});
export type History = typeof arbitraryHistory extends fc.Arbitrary<infer H> ? H : never;

const good = { fate: 'good', isLarge: false } as const;
const large = { fate: 'good', isLarge: true } as const;

/** An outage takes a batch away while large events of other streams are under way: healthy streams were parked behind it. */
export const lostBatch: History = {
  streams: [[good], [good, good, large], [large, good, good]],
  order: [0, 2, 2],
  ends: [],
  away: [12],
  awayBehind: [],
  restarts: [],
  projectors: 1,
};

const nameOf = ({ fate, isLarge }: HistoryEvent, revision: number): string =>
  `${fate} ${revision}${isLarge ? 'x'.repeat(largeBytes) : ''}`;

/** Each event has a document, and another one is a fold of all names. */
const folding: Projection = {
  collection: 'seen',
  changes: {
    SurveyCreated: ({ stream, revision, data: { name } }) => {
      if (name.startsWith('unreadable')) throw new RangeError('it cannot be read');
      const own = seen([revision, name.startsWith('unwritable') ? 'x'.repeat(4_000) : stream], { name });
      return [
        own,
        {
          ...own,
          key: [-1, stream],
          evolve: (stored) => {
            if (name.startsWith('failing')) throw new TypeError('it cannot be applied');
            return own.evolve(stored) && { value: Buffer.concat([stored ?? Buffer.of(), Buffer.from(name)]) };
          },
        },
      ];
    },
  },
};

const streamOf = (index: number): string => `survey-${index + 1}`;

/** The documents of a fold up to the first event of each stream that fails. */
function folded({ streams }: History) {
  const documents: string[] = [];
  const parked: { stream: string; revision: number }[] = [];
  for (const [index, events] of streams.entries()) {
    const stream = streamOf(index);
    const failed = events.findIndex((one) => one.fate !== 'good');
    const names = events.slice(0, failed < 0 ? undefined : failed).map(nameOf);
    for (const [revision, name] of names.entries())
      documents.push(`seen ${JSON.stringify([revision, stream])} ${JSON.stringify({ name })}`);
    if (names.length > 0) documents.push(`seen ${JSON.stringify([-1, stream])} ${names.join('')}`);
    if (failed >= 0) parked.push({ stream, revision: failed });
  }
  return { documents: documents.toSorted(), parked };
}

async function write(on: Rig, { streams, order }: History): Promise<bigint> {
  const left = streams.map((events) => events.entries());
  const rest = streams.flatMap((events, index) => events.map(() => index));
  let last = 0n;
  for (const index of [...order, ...rest]) {
    const next = left[index]?.next();
    if (next?.done !== false) continue;
    const [revision, one] = next.value;
    last = await append(on, streamOf(index), survey(index + 1, nameOf(one, revision)));
  }
  return last;
}

/** A log that is at its end behind these events too. */
const pausing = (log: Rig['log'], { ends }: History): Rig['log'] =>
  withMembers(log, {
    subscribeToAll: async function* (options) {
      let count = 0;
      for await (const item of log.subscribeToAll(options)) {
        yield item;
        if (item.kind !== 'event') continue;
        if (ends.includes(count)) yield { kind: 'caught-up', position: item.event.position };
        count += 1;
      }
    },
  });

/** A store that is away at some calls, and has the projectors end at others. */
function failing(
  store: ReadModels,
  { away, awayBehind, restarts }: History,
  restart: () => void,
): ReadModels {
  let count = 0;
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    const own = count++;
    if (restarts.includes(own)) restart();
    if (away.includes(own)) throw new ReadModelsUnavailable('away');
    const result = await work();
    if (awayBehind.includes(own)) throw new ReadModelsUnavailable('away behind the call');
    return result;
  };
  return withLive(store, (live) => ({
    newest: (...given) => call(() => live.newest(...given)),
    write: (...given) => call(() => live.write(...given)),
    advance: (...given) => call(() => live.advance(...given)),
  }));
}

/** Runs them until `over` aborts, each with others behind it where they are to be started again. */
async function project(options: Projecting, history: History, over: AbortSignal): Promise<void> {
  let end = new AbortController();
  const readModels = failing(options.readModels, history, () => end.abort());
  while (!over.aborted) {
    end = new AbortController();
    const signal = AbortSignal.any([end.signal, over]);
    const run = (): Promise<void> => runProjector({ ...options, readModels, signal });
    await Promise.all(Array.from({ length: history.projectors }, run));
  }
}

/** Exactly the streams with an event that fails are parked, at the first of them, and all else is equal to a fold. */
export async function assertParked(on: Rig, store: ReadModels, history: History): Promise<void> {
  const last = await write(on, history);
  const over = new AbortController();
  const run = {
    log: pausing(on.log, history),
    readModels: store,
    projections: [folding],
    largeBytes,
    sleep: () => setImmediate(),
    signal: over.signal,
  };
  const running = project(run, history, over.signal);
  const isReached = await store.reachedPosition(last, 20_000);
  over.abort();
  await running;
  assert.ok(isReached, 'the projectors stand still');
  const expected = folded(history);
  const parked = (await store.parkedStreams()).map(({ stream, revision }) => ({ stream, revision }));
  assert.deepEqual(
    parked.toSorted((one, other) => (one.stream < other.stream ? -1 : 1)),
    expected.parked,
  );
  assert.deepEqual((await contents(store, ['seen'])).toSorted(), expected.documents);
}
