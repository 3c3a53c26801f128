import {
  EventLogUnavailable,
  type AppendResult,
  type EventAppender,
  type EventToAppend,
  type ExpectedRevision,
  type EventReader,
  type ReadOptions,
  type RecordedEvent,
} from '../ports/event-log.js';
import { isOutage } from '../ports/problems.js';
import { growingDelay } from '../timers.js';

type Waited = 'answers' | 'away';

/** The outage of one log. One waiting call at a time probes, so that a starting server is not stormed. */
class Outage {
  #failures = 0;
  #knocking: object | undefined;
  readonly #waiting = new Set<(waited: Waited) => void>();

  get failures(): number {
    return this.#failures;
  }

  isKnocking(call: object): boolean {
    this.#knocking ??= call;
    return this.#knocking === call;
  }

  failed(call: object): void {
    if (this.#knocking !== call) return;
    this.#failures += 1;
    this.#settle('away');
  }

  next(): Promise<Waited> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  leave(call: object): void {
    if (this.#knocking !== call) return;
    this.#knocking = undefined;
    this.#settle('away');
  }

  answered(): void {
    this.#failures = 0;
    this.#knocking = undefined;
    if (this.#waiting.size > 0) this.#settle('answers');
  }

  #settle(waited: Waited): void {
    for (const resolve of this.#waiting) resolve(waited);
    this.#waiting.clear();
  }
}

const outages = new WeakMap<object, Outage>();

function outageOf(log: object): Outage {
  const outage = outages.get(log) ?? new Outage();
  outages.set(log, outage);
  return outage;
}

/** For a decorated log: both share one outage. */
export function shareOutage<L extends object>(around: L, log: object): L {
  outages.set(around, outageOf(log));
  return around;
}

/** A server drops a repeat that arrives before the first is indexed, and answers seconds later. */
const firstWaitMs = 100;
const maxWaitMs = 2_000;

/** An election takes 2 to 8 s on a cluster; a call has 30 s. */
const maxElectionMs = 20_000;
const BRIEF_MS = 1_500;

interface RetryDeps {
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  readonly timer?: (() => number) | undefined;
  readonly briefMs?: number;
}

/** Exponential backoff with jitter for one call. During an outage one call probes; the others wait for its result. */
class OutageRetry {
  readonly #outage: Outage;
  readonly #sleep: (ms: number) => Promise<void>;
  readonly #timer: () => number;
  readonly #begun: number;
  readonly #briefMs: number;
  #attempt = 0;
  #waited = 0;

  constructor(
    log: object,
    { sleep = pause, timer = () => performance.now(), briefMs = BRIEF_MS }: RetryDeps = {},
  ) {
    this.#outage = outageOf(log);
    this.#sleep = sleep;
    this.#timer = timer;
    this.#begun = timer();
    this.#briefMs = briefMs;
  }

  answered(): void {
    this.#outage.answered();
  }

  async through<T>(call: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        const result = await call();
        this.answered();
        return result;
      } catch (error) {
        await this.after(error);
      }
  }

  /** Resolves when the next attempt may be made; throws the error where waiting does not help or took too long. */
  async after(error: unknown): Promise<void> {
    try {
      this.#checkTime(error);
      this.#attempt += 1;
      if (error instanceof EventLogUnavailable && error.isTransient) await this.#inTurn(error);
      else await this.#pause(this.#attempt);
    } catch (failure) {
      this.#outage.leave(this);
      throw failure;
    }
  }

  async #inTurn(error: EventLogUnavailable): Promise<void> {
    const failedAt = this.#timer();
    this.#outage.failed(this);
    while (!this.#outage.isKnocking(this)) {
      const waited = await this.#outage.next();
      this.#checkTime(error);
      if (waited === 'answers') return this.#pause(this.#attempt, this.#timer() - failedAt);
    }
    await this.#pause(Math.max(this.#attempt, this.#outage.failures));
  }

  #checkTime(error: unknown): void {
    if (!(error instanceof EventLogUnavailable)) throw error;
    const spent = Math.max(this.#timer() - this.#begun, this.#waited);
    if (spent >= (error.isTransient ? maxElectionMs : this.#briefMs)) throw error;
  }

  async #pause(attempt: number, alreadyMs = 0): Promise<void> {
    const ms = growingDelay(attempt, firstWaitMs, maxWaitMs) * (1 + Math.random() / 2) - alreadyMs;
    if (ms <= 0) return;
    this.#waited += ms;
    await this.#sleep(ms);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface AppendDeps extends RetryDeps {
  readonly log: EventAppender;
}

/** Repeats an unknown outcome with the same ids and revision (design: "Deciding", 2). If it lasts: `EventLogUnavailable`. */
export async function appendWithRetry(
  deps: AppendDeps,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): Promise<AppendResult> {
  return new OutageRetry(deps.log, deps).through(() => deps.log.append(stream, expected, events));
}

/** For a fact that must be recorded: repeats the append after outages, with growing delays, until the log accepts it. */
export async function untilAccepted(
  append: () => Promise<unknown>,
  { wait }: { readonly wait: (ms: number) => Promise<void> },
): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      await append();
      return;
    } catch (error) {
      if (!isOutage(error)) throw error;
      await wait(growingDelay(failures, 250, 5_000));
    }
  }
}

/** Other failures of a read throw at once. */
const ELECTIONS_ONLY = { briefMs: 0 };

/** The same log; reads that an election interrupts are continued. */
export function readsWithRetry<L extends EventReader>(log: L, deps?: RetryDeps): L {
  const retrying: Pick<EventReader, 'readStream' | 'readLast'> = {
    readStream: (stream, options) => readWithRetry(log, stream, { options, deps }),
    readLast: (stream) =>
      new OutageRetry(log, { ...deps, ...ELECTIONS_ONLY }).through(() => log.readLast(stream)),
  };
  return shareOutage({ ...log, ...retrying }, log);
}

async function* readWithRetry(
  log: EventReader,
  stream: string,
  { options = {}, deps }: { readonly options: ReadOptions | undefined; readonly deps: RetryDeps | undefined },
): AsyncGenerator<RecordedEvent> {
  const begin = (): OutageRetry => new OutageRetry(log, { ...deps, ...ELECTIONS_ONLY });
  const outage = outageOf(log);
  let rest = options;
  let retry: OutageRetry | undefined = begin();
  for (;;)
    try {
      for await (const event of log.readStream(stream, rest)) {
        outage.answered();
        rest = restAfter(event, rest);
        yield event;
        // The read has got further: the next election has a time of its own.
        retry = undefined;
      }
      outage.answered();
      return;
    } catch (error) {
      if (isOver(rest)) return;
      await (retry ??= begin()).after(error);
    }
}

const isOver = ({ limit, from = 0 }: ReadOptions): boolean => limit === 0 || from < 0;

function restAfter({ revision }: RecordedEvent, rest: ReadOptions): ReadOptions {
  const from = rest.backwards === true ? revision - 1 : revision + 1;
  return { ...rest, from, seen: false, ...(rest.limit === undefined ? {} : { limit: rest.limit - 1 }) };
}
