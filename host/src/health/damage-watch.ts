import {
  sharing,
  everyByTimer,
  isOutage,
  LogCorrupt,
  problemOf,
  type Every,
  type ProcessLogger,
  type ReadableEventLog,
  type StreamFinding,
} from '@rollcall/application/read';
import { degradation, firstOf, type HealthProblem } from './health.js';

const LOOK_MS = 5_000;

interface DamageWatchOptions {
  readonly every?: Every;
  /** Reports each problem when it appears and when it ends. */
  readonly logger?: Pick<ProcessLogger, 'info' | 'warn'> | undefined;
  readonly proof?: { problems(): HealthProblem[] };
}

type Looked = Pick<ReadableEventLog, 'findDamage' | 'readStream' | 'readLast'>;
type Others = Record<Exclude<StreamFinding['kind'], 'damage'>, string[]>;

const noOthers = (): Others => ({ limit: [], closed: [], notice: [] });

/** Polls for unusable streams: changed by others, or unreadable. Each stays blocked, without appends, until it is whole. */
export class DamageWatch {
  readonly #log: Looked;
  readonly #stop: () => void;
  /** By stream: the revision up to which it could be read. */
  readonly #met = new Map<string, number>();
  #streams: ReadonlyMap<string, string> = new Map();
  #others = noOthers();
  readonly #changes: ReportedChanges;
  readonly #proof: DamageWatchOptions['proof'];

  constructor(log: Looked, { every = everyByTimer, logger, proof }: DamageWatchOptions = {}) {
    this.#log = log;
    this.#proof = proof;
    this.#changes = new ReportedChanges(logger);
    this.#stop = every(LOOK_MS, () => this.look());
    void this.look();
  }

  /** The reason by stream, without values of events. */
  get streams(): ReadonlyMap<string, string> {
    return this.#streams;
  }

  readonly suspect = (stream: string): void => {
    if (this.#met.has(stream)) return;
    this.#met.set(stream, 0);
    void this.look();
  };

  problems(): HealthProblem[] {
    return [
      ...named([...this.#streams.values()], 'cannot be used'),
      ...named(this.#others.closed, 'is closed to this user'),
      ...named(this.#others.limit, 'is limited'),
      ...(this.#proof?.problems() ?? []),
    ];
  }

  /** Never rejects: during an outage the last findings stand. */
  readonly look = sharing(() => this.#look().catch((error: unknown) => this.#report(problemOf(error))));

  close(): Promise<void> {
    this.#stop();
    return Promise.resolve();
  }

  async #look(): Promise<void> {
    const streams = new Map<string, string>();
    const others = noOthers();
    for await (const { stream, problem, kind } of this.#log.findDamage?.() ?? [])
      if (kind === 'damage') streams.set(stream, problem);
      else others[kind].push(`${stream}: ${problem}`);
    for (const [stream, problem] of await this.#stillMet())
      if (!streams.has(stream)) streams.set(stream, problem);
    this.#streams = streams;
    this.#others = others;
    this.#report();
  }

  #report(...outage: readonly string[]): void {
    const { closed, limit } = this.#others;
    this.#changes.report([...this.#streams.values(), ...closed, ...limit, ...outage]);
  }

  async #stillMet(): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>();
    for (const [stream, from] of this.#met) {
      const problem = await this.#unreadable(stream, from);
      if (problem === undefined) this.#met.delete(stream);
      else problems.set(stream, problem);
    }
    return problems;
  }

  async #unreadable(stream: string, from: number): Promise<string | undefined> {
    try {
      for await (const { revision } of this.#log.readStream(stream, { from }))
        this.#met.set(stream, revision);
      await this.#log.readLast(stream);
      return undefined;
    } catch (error) {
      if (error instanceof LogCorrupt) return error.message;
      if (isOutage(error)) throw error;
      return undefined;
    }
  }
}

class ReportedChanges {
  readonly #logger: DamageWatchOptions['logger'];
  #known: ReadonlySet<string> = new Set();

  constructor(logger: DamageWatchOptions['logger']) {
    this.#logger = logger;
  }

  report(problems: readonly string[]): void {
    const found = new Set(problems);
    for (const problem of found)
      if (!this.#known.has(problem))
        this.#logger?.warn({ problem }, 'the event log cannot be used as it should');
    for (const problem of this.#known)
      if (!found.has(problem)) this.#logger?.info({ problem }, 'this is mended');
    this.#known = found;
  }
}

function named(problems: readonly string[], what: string): HealthProblem[] {
  if (problems.length === 0) return [];
  const streams = firstOf(problems, '; ');
  return [degradation(`what others did to streams of the event log (${what}): ${streams}`)];
}
