import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { AppendResult, EventToAppend } from '@rollcall/application';
import { appendToStore } from './read.js';
import { decodeRecord, openStore, type LogStore } from './store.js';

const streams = ['company-1', 'company-2', 'survey-1'] as const;
type Stream = (typeof streams)[number];

const databases = ['events', 'revisions', 'streams', 'meta'] as const;
type Written = (typeof databases)[number];

interface Step {
  readonly stream: Stream;
  /** How far the writer's belief of the head is off. */
  readonly off: number;
  readonly count: number;
  /** Sends the ids that another append of the same stream sent. */
  readonly again: number | undefined;
  /** In which database the write fails, in the middle of the transaction. */
  readonly failsIn: Written | undefined;
}

interface Append extends Step {
  readonly expected: 'no-stream' | number;
  readonly events: readonly EventToAppend[];
}

const steps: fc.Arbitrary<Step> = fc.record({
  stream: fc.constantFrom(...streams),
  off: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 2 })),
  count: fc.integer({ min: 1, max: 3 }),
  again: fc.option(fc.nat(20), { nil: undefined, freq: 6 }),
  failsIn: fc.option(fc.constantFrom(...databases), { nil: undefined, freq: 5 }),
});

const eventOf = (number: number): EventToAppend => ({
  id: `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  type: 'tested',
  contentType: 'json',
  data: Buffer.from(`{"number":${number}}`),
  metadata: Buffer.from('{}'),
});

/** What a log does that takes one append after the other. */
class Model {
  readonly ids = new Map<Stream, string[]>(streams.map((stream) => [stream, []]));
  readonly #appends = new Map<Stream, Append[]>(streams.map((stream) => [stream, []]));
  readonly log: string[] = [];
  #made = 0;

  /** The step as a call, and what it comes to; undefined: it fails. */
  next(step: Step): { append: Append; result: AppendResult | undefined } {
    const append = this.#appendOf(step);
    return { append, result: this.#apply(append) };
  }

  #appendOf(step: Step): Append {
    const own = this.#appends.get(step.stream) ?? [];
    const before = step.again === undefined ? undefined : own[step.again % Math.max(1, own.length)];
    if (before !== undefined) return { ...before, failsIn: undefined };
    const head = Math.max(-1, (this.ids.get(step.stream)?.length ?? 0) - 1 + step.off);
    const events = Array.from({ length: step.count }, () => eventOf((this.#made += 1)));
    const append = { ...step, expected: head < 0 ? ('no-stream' as const) : head, events };
    own.push(append);
    return append;
  }

  #apply({ stream, expected, events, failsIn }: Append): AppendResult | undefined {
    const ids = this.ids.get(stream) ?? [];
    const from = firstOf(expected);
    const isRepeat = events.every(({ id }, index) => ids[from + index] === id);
    if (from !== ids.length && !isRepeat) return { outcome: 'wrong-revision', actual: endOf(ids) };
    if (!isRepeat && failsIn !== undefined) return undefined;
    const added = isRepeat ? [] : events.map(({ id }) => id);
    ids.push(...added);
    this.log.push(...added);
    const position = BigInt(this.log.indexOf(String(events.at(-1)?.id)) + 1);
    return { outcome: 'appended', revision: from + events.length - 1, position, repeated: isRepeat };
  }
}

const firstOf = (expected: number | 'no-stream'): number => (expected === 'no-stream' ? 0 : expected + 1);

const endOf = ({ length }: readonly string[]): number | 'no-stream' =>
  length === 0 ? 'no-stream' : length - 1;

/** The store; the write of an event in `failing` makes the next one into the named database fail, once. */
function failingStore(store: LogStore, failing: Map<string, Written>): LogStore {
  let armed: Written | undefined;
  const arm = (id: string): void => {
    armed = failing.get(id) ?? armed;
    failing.delete(id);
  };
  const own = (name: Written) =>
    new Proxy(store[name], {
      get: (database, member) => {
        const value: unknown = Reflect.get(database, member);
        if (typeof value !== 'function') return value;
        if (member !== 'putSync') return value.bind(database) as unknown;
        return (key: unknown, bytes: Buffer, options?: unknown): unknown => {
          if (name === 'events') arm(decodeRecord(bytes).id);
          if (armed === name) {
            armed = undefined;
            throw new Error(`a write to ${name} failed`);
          }
          return Reflect.apply(value, database, [key, bytes, options]) as unknown;
        };
      },
    });
  return {
    ...store,
    events: own('events') as LogStore['events'],
    revisions: own('revisions') as LogStore['revisions'],
    streams: own('streams') as LogStore['streams'],
    meta: own('meta') as LogStore['meta'],
  };
}

const outcomeOf = (
  store: LogStore,
  { stream, expected, events }: Append,
): Promise<AppendResult | undefined> =>
  appendToStore(store, { stream, name: stream }, expected, events).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'EventLogUnavailable') return undefined;
    throw error;
  });

t.test(
  'property: appends that share a commit come to what they come to one by one, and one that fails leaves nothing',
  async (t) => {
    const folder = t.testdir();
    let run = 0;
    let failed = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(steps, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
      async (batches) => {
        const failing = new Map<string, Written>();
        const opened = await openStore(join(folder, String((run += 1))), { sync: false });
        const store = failingStore(opened, failing);
        try {
          const model = new Model();
          for (const batch of batches) {
            const turns = batch.map((step) => model.next(step));
            const lost = turns.filter(({ result }) => result === undefined);
            for (const { append } of lost)
              failing.set(append.events[0]?.id ?? '', append.failsIn ?? 'events');
            const results = await Promise.all(turns.map(({ append }) => outcomeOf(store, append)));
            assert.deepEqual(
              results,
              turns.map(({ result }) => result),
            );
            failed += results.filter((result) => result === undefined).length;
          }
          const stored = [...opened.events.getRange()].map(({ value }) => decodeRecord(value).id);
          assert.deepEqual(stored, model.log);
        } finally {
          await opened.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
    t.ok(failed > 20, `${failed} appends failed`);
  },
);
