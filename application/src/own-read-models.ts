import { sharing } from './concurrency.js';
import { foreignReadModels } from './installation/checkpoint.js';
import type { Clock } from './ports/clock.js';
import { LogWentBack, type DamageFinder, type EventReader } from './ports/event-log.js';
import { type ForeignReadModels, type ReadModelReader, ReadModelsUnavailable } from './ports/read-models.js';
import type { LoadedEvent } from './event-store/loaded-event.js';
import { BoundedCache } from './bounded-cache.js';
import type { Written } from './ports/imports.js';
import { within } from './timers.js';

/** Checked again after this time, in the background. */
const recheckMs = 1_000;

/** After this time a call waits for the check. */
const maxCheckAgeMs = 10_000;

type Looked = Pick<ReadModelReader, 'progress'>;
type Shown = Pick<ReadModelReader, 'get' | 'getMany' | 'find' | 'findBatches' | 'findByIndex' | 'count'>;

interface OwnReadModelsDeps {
  readonly log: EventReader & DamageFinder;
  readonly readModels: Looked;
  readonly clock: Clock;
}

class OwnReadModels {
  readonly #deps: OwnReadModelsDeps;
  readonly #look = sharing(() => this.#lookOnce());
  #seen = -Infinity;

  constructor(deps: OwnReadModelsDeps) {
    this.#deps = deps;
  }

  /** Throws `ForeignReadModels`, `LogWentBack` where the log has lost events, or the stores' errors. */
  async check(): Promise<void> {
    const age = Math.abs(this.#deps.clock.now() - this.#seen);
    if (age < recheckMs) return;
    const looking = this.#look();
    if (age < maxCheckAgeMs) {
      looking.catch(() => undefined);
      return;
    }
    const problem = await looking;
    if (problem !== undefined) throw problem;
  }

  async #lookOnce(): Promise<ForeignReadModels | LogWentBack | undefined> {
    const { log, readModels, clock } = this.#deps;
    const problem = await foreignReadModels(log, await readModels.progress()).catch(wentBack);
    this.#seen = problem === undefined ? clock.now() : -Infinity;
    return problem;
  }
}

function wentBack(error: unknown): LogWentBack {
  if (error instanceof LogWentBack) return error;
  throw error;
}

/** The same read models; each call throws while they are not the log's own. */
export function onlyOwn<R extends Shown & Looked>(
  readModels: R,
  deps: Omit<OwnReadModelsDeps, 'readModels'>,
): R {
  const own = new OwnReadModels({ ...deps, readModels });
  const shown: Shown = {
    get: async (...given) => (await own.check(), readModels.get(...given)),
    getMany: async (collection, keys, take) => (
      await own.check(),
      readModels.getMany(collection, keys, take)
    ),
    find: (...given) => checked(own, () => readModels.find(...given)),
    findBatches: (...given) => checked(own, () => readModels.findBatches(...given)),
    findByIndex: (...given) => checked(own, () => readModels.findByIndex(...given)),
    count: async (...given) => (await own.check(), readModels.count(...given)),
  };
  return new Proxy(readModels, {
    get: (target, name) => {
      if (Object.hasOwn(shown, name)) return Reflect.get(shown, name) as unknown;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

async function* checked<T>(own: OwnReadModels, found: () => AsyncIterable<T>): AsyncGenerator<T> {
  await own.check();
  yield* found();
}

export function writtenOf(events: readonly LoadedEvent[]): Written {
  const last = events.at(-1);
  if (!last) throw new RangeError('nothing was written');
  const { stream, revision } = last;
  return { stream, revision, bytes: events.reduce((sum, { size }) => sum + size, 0) };
}

const longestMs = 1_000;

/** After an outage of the read models no call waits for this time. */
const outagePauseMs = 5_000;

/** Larger events (some 8,000 employees) are not projected within the wait. */
const maxProjectableBytes = 4 * 1024 * 1024;

const maxLaggingStreams = 10_000;

interface ReadModelWaitOptions {
  readonly waitMs?: number;
  readonly timer?: () => number;
}

/** Waits until the read models show the append, at most 1 s. After a timeout later calls on that stream do not wait. */
export class ReadModelWait {
  readonly #readModels: Pick<ReadModelReader, 'reached'>;
  /** Lagging streams, and the revision each has to reach. */
  readonly #behind = new BoundedCache<string, number>({ most: maxLaggingStreams });

  readonly #waitMs: number;
  readonly #timer: () => number;
  #awayUntil = 0;

  constructor(readModels: Pick<ReadModelReader, 'reached'>, options: ReadModelWaitOptions = {}) {
    this.#readModels = readModels;
    this.#waitMs = options.waitMs ?? longestMs;
    this.#timer = options.timer ?? (() => performance.now());
  }

  /** Does not wait during an outage of the read models: the append stands. */
  async until(written: Written): Promise<void> {
    if (this.#timer() < this.#awayUntil) return;
    try {
      if (await this.#isBehindMore(written)) return;
      const { stream, revision, bytes } = written;
      const isShown =
        bytes <= maxProjectableBytes && (await this.#readModels.reached(stream, revision, this.#waitMs));
      if (!isShown) this.#remember(written);
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailable)) throw error;
      this.#awayUntil = this.#timer() + outagePauseMs;
    }
  }

  async #isBehindMore({ stream }: Written): Promise<boolean> {
    const revision = this.#behind.get(stream);
    if (revision === undefined) return false;
    const noAnswer = (): Error => new ReadModelsUnavailable('The read models do not answer');
    // MongoDB's client looks for a lost server for seconds.
    if (!(await within(this.#readModels.reached(stream, revision, 0), this.#waitMs, noAnswer))) return true;
    if (this.#behind.get(stream) === revision) this.#behind.delete(stream);
    return false;
  }

  #remember({ stream, revision }: Written): void {
    const known = this.#behind.get(stream) ?? -1;
    this.#behind.set(stream, Math.max(known, revision));
  }
}
