import { sharing } from './concurrency.js';
import { foreignReadModels } from './installation/checkpoint.js';
import type { Clock } from './ports/clock.js';
import { LogWentBack, type DamageFinder, type EventReader } from './ports/event-log.js';
import type { ForeignReadModels, ReadModelReader } from './ports/read-models.js';

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
    const age = this.#deps.clock.now() - this.#seen;
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
