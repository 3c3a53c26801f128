import {
  everyByTimer,
  isOutage,
  LogCorrupt,
  type Every,
  type ReadableEventLog,
} from '@rollcall/application/read';
import { degradation, type HealthProblem } from './health.js';

/** So often it is looked for. */
const LOOK_MS = 5_000;

/** So many streams are named; there may be as many as there are streams. */
const MOST_NAMED = 10;

type Looked = Pick<ReadableEventLog, 'findDamage' | 'readStream' | 'readLast'>;

/**
 * Which streams cannot be used, because others have shortened or deleted them or written to them, or because their events
 * cannot be read: each waits by itself until it is whole again, and nothing is appended to it. It is looked for every few
 * seconds, in what the log says of its streams and in those that somebody has met.
 */
export class DamageWatch {
  readonly #log: Looked;
  readonly #stop: () => void;
  readonly #met = new Set<string>();
  #streams: ReadonlyMap<string, string> = new Map();
  #limited: readonly string[] = [];
  #looking: Promise<void> | undefined;

  constructor(log: Looked, every: Every = everyByTimer) {
    this.#log = log;
    this.#stop = every(LOOK_MS, () => this.look());
    void this.look();
  }

  /** Why each of them cannot be used, in words without a value of an event. */
  get streams(): ReadonlyMap<string, string> {
    return this.#streams;
  }

  /** Somebody could not read the stream. */
  readonly suspect = (stream: string): void => {
    if (this.#met.has(stream)) return;
    this.#met.add(stream);
    void this.look();
  };

  problems(): HealthProblem[] {
    return [...named([...this.#streams.values()], 'cannot be used'), ...named(this.#limited, 'is limited')];
  }

  /** Never rejects: while the log is away what was found last stands. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  close(): Promise<void> {
    this.#stop();
    return Promise.resolve();
  }

  async #look(): Promise<void> {
    const streams = new Map<string, string>();
    const limited: string[] = [];
    for await (const { stream, problem, kind } of this.#log.findDamage?.() ?? []) {
      if (kind === 'damage') streams.set(stream, problem);
      else if (kind === 'limit') limited.push(`${stream}: ${problem}`);
    }
    for (const [stream, problem] of await this.#stillMet())
      if (!streams.has(stream)) streams.set(stream, problem);
    this.#streams = streams;
    this.#limited = limited;
  }

  async #stillMet(): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>();
    for (const stream of this.#met) {
      const problem = await this.#unreadable(stream);
      if (problem === undefined) this.#met.delete(stream);
      else problems.set(stream, problem);
    }
    return problems;
  }

  async #unreadable(stream: string): Promise<string | undefined> {
    try {
      const events = this.#log.readStream(stream)[Symbol.asyncIterator]();
      while ((await events.next()).done !== true);
      await this.#log.readLast(stream);
      return undefined;
    } catch (error) {
      if (error instanceof LogCorrupt) return error.message;
      if (isOutage(error)) throw error;
      return undefined;
    }
  }
}

function named(problems: readonly string[], what: string): HealthProblem[] {
  if (problems.length === 0) return [];
  const more = problems.length > MOST_NAMED ? ` and ${problems.length - MOST_NAMED} more` : '';
  const streams = problems.slice(0, MOST_NAMED).join('; ');
  return [degradation(`what others did to streams of the event log (${what}): ${streams}${more}`)];
}
