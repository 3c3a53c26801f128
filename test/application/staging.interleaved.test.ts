import assert from 'node:assert/strict';
import {
  CHAIN_START,
  CHUNK_BYTES,
  decideAndAppend,
  EventLogUnavailable,
  loadEvent,
  StreamDeleted,
  verifyChain,
  type AppendResult,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type RecordedEvent,
} from '@rollcall/application';
import fc, { type Scheduler } from 'fast-check';
import t from 'tap';
import { callContext } from './decide-and-append.support.js';
import { last, STREAM, textOf } from './staging.support.js';
import { scale, seed } from '../support/scale.js';

const HOUR = 60 * 60_000;

/** A log in memory, by the port's rules; those who share it call it through `called`. */
const endOf = ({ length }: readonly RecordedEvent[]): number | 'no-stream' =>
  length === 0 ? 'no-stream' : length - 1;

class MemoryLog {
  readonly streams = new Map<string, RecordedEvent[]>();
  readonly #deleted = new Set<string>();
  #position = 0n;

  append(
    stream: string,
    expected: ExpectedRevision,
    [event, ...more]: readonly EventToAppend[],
  ): AppendResult {
    assert.ok(event !== undefined && more.length === 0);
    if (this.#deleted.has(stream)) throw new StreamDeleted(stream);
    const events = this.streams.get(stream) ?? [];
    const revision = expected === 'no-stream' ? 0 : expected + 1;
    const there = events[revision];
    if (there?.id === event.id) return { outcome: 'appended', revision, position: there.position };
    if (revision !== events.length) return { outcome: 'wrong-revision', actual: endOf(events) };
    const data = Buffer.from(event.data);
    events.push({ ...event, data, stream, revision, position: ++this.#position });
    this.streams.set(stream, events);
    return { outcome: 'appended', revision, position: this.#position };
  }

  read(stream: string): readonly RecordedEvent[] {
    return this.streams.get(stream) ?? [];
  }

  /** As the sweeper does: what no event refers to, and is old. */
  sweep(now: number): void {
    const referred = this.read(STREAM).map(({ data }) => Buffer.from(data).toString());
    for (const [stream, events] of this.streams) {
      const metadata = JSON.parse(Buffer.from(events.at(-1)?.metadata ?? []).toString()) as {
        recordedAt: string;
      };
      const isOld = Date.parse(metadata.recordedAt) + 24 * HOUR < now;
      if (stream === STREAM || !isOld || referred.some((text) => text.includes(stream))) continue;
      this.streams.delete(stream);
      this.#deleted.add(stream);
    }
  }
}

/** What happens to a call: it goes through, its answer is lost, it is lost itself, or the caller is gone from there on. */
type Fate = 'through' | 'lost after' | 'lost before' | 'crash' | 'paused for a day';

interface Writer {
  /** The letters of its chunks; the last one is short unless there is none. */
  readonly letters: string;
  readonly rest: number;
  readonly fates: readonly Fate[];
}

class Crash extends Error {}

interface Rig {
  readonly log: MemoryLog;
  readonly scheduler: Scheduler;
  readonly time: { now: number };
  /** Events, no chunks, that are on their way: a message is not under way for a day. */
  readonly eventsUnderWay: Set<object>;
}

/** The log as one writer has it: each call waits for its turn, and a writer may be paused behind each. */
function called(rig: Rig, fates: Fate[]): EventLog {
  const { log, scheduler, time, eventsUnderWay } = rig;
  let isGone = false;
  const turn = async <T>(what: string, work: () => T): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), what);
    const fate = fates.shift() ?? 'through';
    isGone ||= fate === 'crash';
    if (isGone) throw new Crash();
    if (fate === 'lost before') throw new EventLogUnavailable(fate);
    const result = work();
    if (fate === 'lost after') throw new EventLogUnavailable(fate);
    if (fate === 'paused for a day' && eventsUnderWay.size === 0) {
      time.now += 25 * HOUR;
      log.sweep(time.now);
    }
    return result;
  };
  const unused = (): never => assert.fail('not part of this');
  return {
    maxAppendBytes: 2 * CHUNK_BYTES,
    append: async (stream, expected, events) => {
      const message = {};
      if (stream === STREAM) eventsUnderWay.add(message);
      try {
        return await turn(`append to ${stream} behind ${expected}`, () => {
          eventsUnderWay.delete(message);
          return log.append(stream, expected, events);
        });
      } finally {
        eventsUnderWay.delete(message);
      }
    },
    readStream: async function* (stream, { from = 0, limit = Infinity } = {}) {
      yield* await turn(`read ${stream}`, () => log.read(stream).slice(from, from + limit));
    },
    readLast: unused,
    lastPosition: unused,
    subscribeToAll: unused,
    deleteStream: unused,
    listStreams: unused,
    close: () => Promise.resolve(),
  };
}

const textFor = ({ letters, rest }: Pick<Writer, 'letters' | 'rest'>): Buffer =>
  Buffer.concat([
    ...Array.from(letters, (letter) => Buffer.alloc(CHUNK_BYTES, letter)),
    Buffer.alloc(rest, 'z'),
  ]);

/** Writes; undefined where the writer crashed, or its log was away for too long. */
async function write(rig: Rig, { fates, ...content }: Writer, context: ReturnType<typeof callContext>) {
  const log = called(rig, [...fates]);
  const text = textFor(content);
  const source = { chunks: () => [text.subarray(0, 100_000), text.subarray(100_000)] };
  const deps = {
    log,
    clock: { now: () => rig.time.now },
    timer: () => rig.time.now,
    sleep: () => Promise.resolve(),
  };
  try {
    return await decideAndAppend(deps, {
      stream: STREAM,
      context,
      fold: last,
      decide: () => ({ kind: 'events', events: [{ name: 'EmployeeSetReplaced', source }] }),
    });
  } catch (error) {
    if (error instanceof Crash || error instanceof EventLogUnavailable) return undefined;
    throw error;
  }
}

/** Every stream of chunks has a whole chain, and holds the beginning of what one writer wrote. */
function assertUnmixed(log: MemoryLog, texts: readonly Buffer[]): void {
  for (const [stream, chunks] of log.streams) {
    if (stream === STREAM) continue;
    let chain = CHAIN_START;
    for (const chunk of chunks) chain = verifyChain(chain, chunk);
    const bytes = Buffer.concat(chunks.map(({ data }) => data));
    assert.ok(
      texts.some((text) => text.subarray(0, bytes.length).equals(bytes)),
      `${stream} is mixed`,
    );
  }
}

const fate = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Fate>('through') },
  { weight: 2, arbitrary: fc.constantFrom<Fate>('lost after', 'lost before') },
  { weight: 1, arbitrary: fc.constantFrom<Fate>('crash', 'paused for a day') },
);

const writer: fc.Arbitrary<Writer> = fc.record({
  letters: fc.constantFrom('aa', 'aab', 'aac', 'aabb', 'ab'),
  rest: fc.constantFrom(0, 1, 1000),
  fates: fc.array(fate, { maxLength: 14 }),
});

async function written(rig: Rig, writers: readonly Writer[]) {
  const context = callContext();
  const ends = Promise.all(writers.map((each) => write(rig, each, context)));
  const outcomes = await rig.scheduler.waitFor(ends);
  return { context, outcomes };
}

const rigOf = (scheduler: Scheduler): Rig => ({
  log: new MemoryLog(),
  scheduler,
  time: { now: Date.parse('2026-11-21T09:00:00Z') },
  eventsUnderWay: new Set(),
});

t.test('writers of one operation meet or keep apart, whatever happens to them', async (t) => {
  const last = { letters: 'ac', rest: 7, fates: [] };
  await fc.assert(
    fc.asyncProperty(
      fc.array(writer, { minLength: 1, maxLength: 3 }),
      fc.scheduler(),
      async (some, scheduler) => {
        const rig = rigOf(scheduler);
        const { context, outcomes } = await written(rig, some);
        const outcome = await scheduler.waitFor(write(rig, last, context));
        for (const each of [...outcomes, outcome]) assert.ok(each === undefined || each.kind === 'appended');
        const texts = [...some, last].map(textFor);
        assertUnmixed(rig.log, texts);
        const [event, ...others] = rig.log.read(STREAM);
        assert.ok(event !== undefined && others.length === 0);
        const read = textOf(loadEvent(called(rig, []), event));
        const text = await scheduler.waitFor(read);
        assert.ok(texts.some((one) => one.equals(text)));
      },
    ),
    { numRuns: Math.ceil(600 * scale), seed },
  );
  t.pass('all of them');
});

t.test('equal content meets itself in one stream, whoever crashes where', async (t) => {
  const harmless = fc.constantFrom<Fate>('through', 'through', 'through', 'lost after', 'crash');
  const fates = fc.array(fc.array(harmless, { maxLength: 14 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fates, fc.scheduler(), async (fates, scheduler) => {
      const rig = rigOf(scheduler);
      const content = { letters: 'aab', rest: 10 };
      await written(rig, [...fates.map((each) => ({ ...content, fates: each })), { ...content, fates: [] }]);
      const streams = [...rig.log.streams.keys()].filter((stream) => stream !== STREAM);
      assert.equal(streams.length, 1);
      assert.equal(rig.log.read(streams[0] ?? '').length, 4);
    }),
    { numRuns: Math.ceil(300 * scale), seed },
  );
  t.pass('all of them');
});
