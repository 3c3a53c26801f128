import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openEmbeddedEventLog, openEventStoreDbEventLog } from '@rollcall/adapters';
import type { EventToAppend, ExpectedRevision } from '@rollcall/application';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { forms } from '../servers/eventstoredb-forms.js';
import { scavenge, startServer } from '../servers/eventstoredb-stand-in.support.js';
import { scale, seed } from '../support/scale.js';
import {
  HANDLES,
  histories,
  prefixes,
  type Belief,
  type EventShape,
  type HandledStep,
  type Step,
} from './event-log.history.js';
import { ObservedLog } from './event-log.observed.js';

/** On each form of the server: 20,000 at full scale, some hundreds otherwise. */
const leastSteps = Math.ceil((scale < 1 ? 5_000 : 20_000) * scale);
const HISTORIES_AT_ONCE = 10;
const SHRINK_FOR_MS = 120_000;

/** One history, on both logs side by side. */
class Run {
  readonly #one: ObservedLog;
  readonly #other: ObservedLog;
  readonly #scavenge: () => Promise<void>;
  /** What is in the streams: steps are chosen by it, and nothing is compared with it. */
  readonly #streams = new Map<string, EventToAppend[]>();
  readonly #made: EventToAppend[] = [];

  constructor(one: ObservedLog, other: ObservedLog, scavenge: () => Promise<void>) {
    this.#one = one;
    this.#other = other;
    this.#scavenge = scavenge;
  }

  async all(history: readonly HandledStep[]): Promise<void> {
    await Promise.all([this.#one.open(HANDLES), this.#other.open(HANDLES)]);
    try {
      for (const [index, step] of history.entries()) await this.#do(step, `step ${index + 1}`);
      await this.#do({ kind: 'reopen', handle: 0 }, 'the end');
      for (const [handle, begin] of ['', 'data-'].entries()) {
        await this.#do({ kind: 'list', begin, handle }, 'the end');
        await this.#do({ kind: 'subscribe', after: 0, without: [], handle }, 'the end');
      }
    } finally {
      await Promise.all([this.#one.close(), this.#other.close()]);
    }
  }

  async #do(step: HandledStep, when: string): Promise<void> {
    if (step.kind === 'scavenge') return this.#scavenge();
    const take = this.#asked(step);
    const [told, expected] = [await take(this.#other), await take(this.#one)];
    if (told === expected) return;
    throw new Error(
      `${when}, ${JSON.stringify(step)}: the server's log says\n${told}\nthe embedded one\n${expected}`,
    );
  }

  #asked(
    step: Exclude<Step, { kind: 'scavenge' }> & { handle: number },
  ): (log: ObservedLog) => Promise<string> {
    if (step.kind === 'append')
      return this.#appending(step, [{ believed: step.believed, shapes: step.events }]);
    if (step.kind === 'burst')
      return this.#appending(
        step,
        step.beliefs.map((believed) => ({ believed, shapes: [PLAIN] })),
      );
    return step.kind === 'repeat' ? this.#repeating(step) : asking(step);
  }

  #appending(
    { handle, stream }: { readonly handle: number; readonly stream: string },
    wanted: readonly { readonly believed: Belief; readonly shapes: readonly EventShape[] }[],
  ): (log: ObservedLog) => Promise<string> {
    let head = this.#eventsOf(stream).length - 1;
    const appends = wanted.map(({ believed, shapes }) => {
      const expected = expectedAt(head, believed);
      const events = shapes.map((shape) => this.#make(shape));
      if (believed === 0) head += events.length;
      return { expected, events };
    });
    return this.#sending(handle, stream, appends);
  }

  #repeating(step: Extract<HandledStep, { kind: 'repeat' }>): (log: ObservedLog) => Promise<string> {
    const events = this.#eventsOf(step.stream);
    const from = events.length === 0 ? 0 : step.from % events.length;
    const again = events.slice(from, from + step.count);
    const fresh = [this.#make(PLAIN)];
    const mixed = {
      nothing: again.length === 0 ? fresh : again,
      'one before': [...fresh, ...again],
      'one behind': [...again, ...fresh],
    }[step.mixedWith];
    const expected = expectedAt(from - 1, step.off);
    return this.#sending(step.handle, step.stream, [{ expected, events: mixed }]);
  }

  #sending(
    handle: number,
    stream: string,
    appends: readonly { readonly expected: ExpectedRevision; readonly events: readonly EventToAppend[] }[],
  ): (log: ObservedLog) => Promise<string> {
    return async (log) => {
      const { told, results } = await log.append(handle, stream, appends);
      if (log !== this.#one) return told;
      for (const [index, result] of results.entries()) {
        const { events = [] } = appends[index] ?? {};
        const known = this.#eventsOf(stream);
        if (result?.outcome === 'appended' && result.repeated === false) known.push(...events);
        this.#streams.set(stream, known);
      }
      return told;
    };
  }

  #eventsOf(stream: string): EventToAppend[] {
    return this.#streams.get(stream) ?? [];
  }

  #make({ type, contentType, bytes, metadata, again }: EventShape): EventToAppend {
    const known = again === undefined ? undefined : this.#made.at(-1 - again);
    const event = {
      id: known?.id ?? randomUUID(),
      type,
      contentType,
      data: Buffer.alloc(bytes, `${this.#made.length} `),
      metadata: Buffer.from(metadata),
    };
    this.#made.push(event);
    return event;
  }
}

const PLAIN: EventShape = {
  type: 'SomethingHappened',
  contentType: 'json',
  bytes: 10,
  metadata: '{}',
  again: undefined,
};

/** Of a writer who believes that, where the last revision is `head`. */
function expectedAt(head: number, believed: Belief): ExpectedRevision {
  if (believed === 'no-stream' || head + believed === -1) return 'no-stream';
  return head + believed;
}

type Question = Exclude<Step, { kind: 'append' | 'burst' | 'repeat' | 'scavenge' }> & {
  readonly handle: number;
};

function asking(step: Question): (log: ObservedLog) => Promise<string> {
  if ('stream' in step) return askingOf(step);
  const { handle } = step;
  switch (step.kind) {
    case 'last position':
      return (log) => log.lastPosition(handle, step.without);
    case 'list':
      return (log) => log.list(handle, step.begin);
    case 'subscribe':
      return (log) => log.subscribe(handle, step.after, step.without);
    case 'live':
      return (log) => Promise.resolve(log.live(handle, step.without));
    case 'reopen':
      return (log) => log.reopen();
  }
}

function askingOf(step: Extract<Question, { stream: string }>): (log: ObservedLog) => Promise<string> {
  const { handle, stream } = step;
  switch (step.kind) {
    case 'read':
      return (log) => log.read(handle, stream, rangeOf(step));
    case 'last':
      return (log) => log.last(handle, stream);
    case 'delete':
      return (log) => log.delete(handle, stream);
  }
}

const rangeOf = ({ backwards, from, limit, stop = Infinity }: Extract<Step, { kind: 'read' }>) => ({
  backwards,
  stop,
  ...(from !== undefined && { from }),
  ...(limit !== undefined && { limit }),
});

type Scavenge = () => Promise<void>;

/** The server is shared by all histories, so that each has the streams of those before it as neighbours. */
function bothLogs(t: Test, connectionString: string, scavenge: Scavenge) {
  const folder = join(t.testdir(), 'log');
  return (prefix: string): Run => {
    const streamPrefix = `${randomUUID()}${prefix}`;
    const embedded = () => openEmbeddedEventLog({ folder, streamPrefix, pollMs: 2 });
    const onServer = () => openEventStoreDbEventLog({ connectionString, streamPrefix });
    return new Run(new ObservedLog(embedded), new ObservedLog(onServer), scavenge);
  };
}

/** Only the first form is scavenged: the others have the steps, and are left as they are. */
const servers: Record<keyof typeof forms, (t: Test) => Promise<readonly [url: string, scavenge: Scavenge]>> =
  {
    alone: async (t) => {
      const fixture = await startServer(t);
      return [fixture.server.url, () => scavenge(fixture)];
    },
    secured: (t) => unscavenged(t, 'secured'),
    'a cluster': (t) => unscavenged(t, 'a cluster'),
  };

async function unscavenged(t: Test, name: keyof typeof forms) {
  const form = await forms[name]();
  t.teardown(() => form.stop());
  return [form.url, () => Promise.resolve()] as const;
}

for (const [name, start] of Object.entries(servers)) {
  const title = `any history goes alike on the embedded log and on a server: ${name}`;
  t.test(title, { timeout: 3_600_000 }, async (t) => {
    const runOf = bothLogs(t, ...(await start(t)));
    const counts = new Map<string, number>();
    let steps = 0;
    const goesAlike = fc.asyncProperty(prefixes, histories, async (prefix, history) => {
      steps += history.length;
      for (const { kind } of history) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      await runOf(prefix).all(history);
    });
    for (let part = seed; steps < leastSteps; part++) {
      t.comment(`TEST_SEED=${part}`);
      await fc.assert(goesAlike, {
        seed: part,
        numRuns: HISTORIES_AT_ONCE,
        interruptAfterTimeLimit: SHRINK_FOR_MS,
      });
    }
    t.comment(`${steps} steps: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
    t.ok(steps >= leastSteps);
  });
}
