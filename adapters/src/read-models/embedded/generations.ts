import type { Database, Key, RangeOptions } from 'lmdb';
import { isOver, liveOf, progressOf, unfinishedOf, type KnownGeneration } from '../generation-rules.js';
import { GenerationStore, type WholeStoreOptions } from '../whole-store.js';
import { orUnavailable, type Environment, type GenerationRecord } from './environment.js';
import { behindAll, generationSpace } from './keys.js';
import { SNAPSHOT_MS, Snapshots } from './snapshots.js';

const DROP_BATCH = 5_000;
const POLL_MS = 20;

/** The generations of one environment. */
export class EmbeddedGenerations extends GenerationStore {
  readonly environment: Environment;
  readonly snapshots: Snapshots;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(environment: Environment, options: WholeStoreOptions & { readonly snapshotMs?: number }) {
    super(options, options.pollMs ?? POLL_MS);
    this.environment = environment;
    this.snapshots = new Snapshots(environment, options.snapshotMs ?? SNAPSHOT_MS);
  }

  /** The generation that processes of this version read. Looked for from the newest on: it is that, or the one before. */
  live(): number | undefined {
    const { numbers, generations } = this.environment;
    for (let number = numbers.get('last') ?? 0; number > 0; number--) {
      const record = generations.get(number);
      if (record !== undefined && liveOf([placeOf(number, record)], this.version)) return number;
    }
    return undefined;
  }

  known(): Promise<KnownGeneration[]> {
    return orUnavailable(() => this.#known());
  }

  #known(): KnownGeneration[] {
    const { root, generations, progress } = this.environment;
    root.resetReadTxn();
    return [...generations.getRange()].map(({ key, value }) => {
      const stored = progress.get(key);
      const written = stored?.at ?? 0;
      return { ...placeOf(key, value), begun: value.at, written, progress: progressOf(stored) };
    });
  }

  async unfinished(): Promise<number | undefined> {
    return unfinishedOf(await this.known(), this.version, this.now())?.number;
  }

  add(): Promise<number> {
    return this.#inTransaction(() => this.#begin('building'));
  }

  beginEmpty(): Promise<void> {
    return this.#inTransaction(() => {
      if (this.environment.numbers.get('last') === undefined) this.#begin('live');
    });
  }

  #begin(status: GenerationRecord['status']): number {
    const { numbers, generations, progress } = this.environment;
    const number = (numbers.get('last') ?? 0) + 1;
    void numbers.put('last', number);
    const version = this.version !== undefined && { version: this.version };
    void generations.put(number, { status, at: this.now(), ...version });
    void progress.put(number, { position: null });
    return number;
  }

  complete(number: number): Promise<boolean> {
    const { generations, progress } = this.environment;
    return this.#inTransaction(() => {
      const record = generations.get(number);
      // Without progress it is being dropped.
      if (record === undefined || progress.get(number) === undefined) return false;
      if (record.status === 'building')
        void generations.put(number, { ...record, status: 'live', at: this.now() });
      return true;
    });
  }

  async dropUnfinished(number: number): Promise<void> {
    const { generations, progress } = this.environment;
    const dropped = await this.#inTransaction(() => {
      if (generations.get(number)?.status !== 'building') return false;
      void progress.remove(number);
      return true;
    });
    if (dropped) await orUnavailable(() => dropGeneration(this.environment, number));
  }

  sweep(): Promise<void> {
    this.#sweeping = orUnavailable(() => this.#sweep());
    return this.#sweeping;
  }

  /** What earlier versions left behind of generations that they dropped goes too. */
  async #sweep(): Promise<void> {
    const all = this.#known();
    const { records, generations } = this.environment;
    for (const one of all)
      if (isOver(one, all, this.now())) await dropGeneration(this.environment, one.number);
    for (const number of generationsOf(records))
      if (generations.get(number) === undefined) await dropGeneration(this.environment, number);
  }

  async close(): Promise<void> {
    await this.#sweeping.catch(() => undefined);
    this.snapshots.releaseAll();
    await this.environment.close();
  }

  #inTransaction<T>(work: () => T): Promise<T> {
    return orUnavailable(() => this.environment.root.transaction(work));
  }
}

const placeOf = (number: number, { status, version, at }: GenerationRecord) => ({
  number,
  version: version ?? null,
  since: status === 'building' ? null : at,
});

/**
 * Removes everything of a generation, in small transactions; its progress first, so that whoever still builds it stops,
 * its record last, so that a removal that was cut off is taken up again.
 */
async function dropGeneration(environment: Environment, generation: number): Promise<void> {
  await environment.progress.remove(generation);
  const space = generationSpace(generation);
  for (const store of [environment.records, environment.entries, environment.formerDocuments])
    await removeAll(store, { start: space, end: behindAll(space) });
  const numbered = { start: [generation], end: [generation + 1] };
  await removeAll(environment.formerChunks, numbered);
  await removeAll(environment.formerPointers, numbered);
  await removeAll(environment.broken, numbered);
  await environment.generations.remove(generation);
}

async function removeAll<V, K extends Key>(store: Database<V, K>, range: RangeOptions): Promise<void> {
  for (;;) {
    const keys = [...store.getKeys({ ...range, limit: DROP_BATCH })];
    if (keys.length === 0) return;
    await store.batch(() => {
      for (const key of keys) void store.remove(key);
    });
  }
}

/** Those of which there is any key. */
function generationsOf(store: Environment['records']): number[] {
  const found: number[] = [];
  for (let from = 0; ;) {
    const [key] = store.getKeys({ start: generationSpace(from), limit: 1 });
    if (key === undefined) return found;
    const number = key.readUInt32BE(0);
    found.push(number);
    from = number + 1;
  }
}
