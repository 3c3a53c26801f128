import type { Database, Key, RangeOptions } from 'lmdb';
import { GenerationReplaced } from '@rollcall/application';
import {
  firstClaim,
  isClaimedBy,
  isOfAnother,
  isOver,
  liveOf,
  nextClaim,
  progressOf,
  unfinishedOf,
  type KnownGeneration,
} from '../generation-rules.js';
import { GenerationStore, type ClaimedNumber, type WholeStoreOptions } from '../whole-store.js';
import { orUnavailable, type Environment, type GenerationRecord } from './environment.js';
import { behindAll, generationSpace } from './records.js';
import { maxSnapshotMs, Snapshots } from './snapshots.js';

const DROP_BATCH = 5_000;
/** Of another process's progress, during a wait. */
const POLL_MS = 2;

export class EmbeddedGenerations extends GenerationStore {
  readonly environment: Environment;
  readonly snapshots: Snapshots;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(environment: Environment, options: WholeStoreOptions & { readonly snapshotMs?: number }) {
    super(options, {
      pollMs: options.pollMs ?? POLL_MS,
      hintName: `rollcall-read-models:${environment.folder}`,
    });
    this.environment = environment;
    this.snapshots = new Snapshots(environment, options.snapshotMs ?? maxSnapshotMs);
  }

  /** The newest complete generation of this version. */
  live(): number | undefined {
    const { numbers, generations } = this.environment;
    for (let number = numbers.get('last') ?? 0; number > 0; number--) {
      const record = generations.get(number);
      if (record !== undefined && liveOf([placeOf(number, record)], this.version)) return number;
    }
    return undefined;
  }

  liveNumber(): Promise<number | undefined> {
    return orUnavailable(this.environment.folder, () => {
      this.environment.root.resetReadTxn();
      return this.live();
    });
  }

  known(): Promise<KnownGeneration[]> {
    return orUnavailable(this.environment.folder, () => this.#known());
  }

  #known(): KnownGeneration[] {
    const { root, generations, progress } = this.environment;
    root.resetReadTxn();
    return [...generations.getRange()].flatMap(({ key, value }) => {
      const stored = progress.get(key);
      // Without progress it is being dropped, or its drop was interrupted.
      if (stored === undefined) return [];
      const { at: written = 0 } = stored;
      return { ...placeOf(key, value), begun: value.at, written, progress: progressOf(stored) };
    });
  }

  add(builder: string): Promise<number> {
    return this.#inTransaction(() => this.#begin('building', builder));
  }

  claim(builder: string, lapsed: string | undefined): Promise<ClaimedNumber> {
    return this.#inTransaction(() => {
      const all = this.#known();
      if (liveOf(all, this.version) !== undefined) return { kind: 'complete' };
      const { number, claim } = unfinishedOf(all, this.version, this.now()) ?? {};
      if (number === undefined) return { kind: 'claimed', number: this.#begin('building', builder) };
      const next = nextClaim(claim, builder, lapsed);
      if (claim !== undefined && next === undefined) return { kind: 'held', claim };
      this.#setClaim(number, next);
      return { kind: 'claimed', number };
    });
  }

  renew(number: number, builder: string): Promise<boolean> {
    return this.#inTransaction(() => {
      const claim = this.environment.generations.get(number)?.claim;
      if (!isClaimedBy(claim, builder)) return false;
      this.#setClaim(number, nextClaim(claim, builder));
      return true;
    });
  }

  release(number: number, builder: string): Promise<void> {
    return this.#inTransaction(() => {
      if (isClaimedBy(this.environment.generations.get(number)?.claim, builder))
        this.#setClaim(number, undefined);
    });
  }

  /** Call it in a transaction. A complete generation is nobody's. */
  isOfAnother(number: number, builder: string): boolean {
    const record = this.environment.generations.get(number);
    return record !== undefined && isOfAnother(placeOf(number, record), builder);
  }

  #setClaim(number: number, claim: string | undefined): void {
    const { generations } = this.environment;
    const record = generations.get(number);
    if (record !== undefined) void generations.put(number, { ...record, claim, at: this.now() });
  }

  beginEmpty(): Promise<void> {
    return this.#inTransaction(() => {
      if (this.environment.numbers.get('last') === undefined) this.#begin('live');
    });
  }

  #begin(status: 'live' | 'building', builder?: string): number {
    const { numbers, generations, progress } = this.environment;
    const number = (numbers.get('last') ?? 0) + 1;
    void numbers.put('last', number);
    const version = this.version !== undefined && { version: this.version };
    const claim = builder === undefined ? undefined : firstClaim(builder);
    void generations.put(number, { status, at: this.now(), claim, ...version });
    void progress.put(number, { position: null });
    return number;
  }

  complete(number: number, builder: string): Promise<boolean> {
    const { generations, progress } = this.environment;
    return this.#inTransaction(() => {
      const record = generations.get(number);
      if (record === undefined || progress.get(number) === undefined) return false;
      if (this.isOfAnother(number, builder)) throw GenerationReplaced.byBuilder();
      if (record.status === 'building')
        void generations.put(number, { ...record, status: 'live', at: this.now(), claim: undefined });
      return true;
    });
  }

  async dropUnfinished(number: number, builder: string): Promise<void> {
    const { generations, progress } = this.environment;
    const dropped = await this.#inTransaction(() => {
      if (generations.get(number)?.status !== 'building' || this.isOfAnother(number, builder)) return false;
      void progress.remove(number);
      return true;
    });
    if (dropped) await orUnavailable(this.environment.folder, () => dropGeneration(this.environment, number));
  }

  sweep(): Promise<void> {
    this.#sweeping = orUnavailable(this.environment.folder, () => this.#sweep());
    return this.#sweeping;
  }

  /** Also removes earlier versions' leftovers, and those of an interrupted drop. */
  async #sweep(): Promise<void> {
    const all = this.#known();
    const { records, generations, progress } = this.environment;
    for (const one of all)
      if (isOver(one, all, this.now())) await dropGeneration(this.environment, one.number);
    for (const number of [...generations.getKeys(), ...generationsOf(records)])
      if (progress.get(number) === undefined) await dropGeneration(this.environment, number);
  }

  async close(): Promise<void> {
    await this.#sweeping.catch(() => undefined);
    this.snapshots.releaseAll();
    await this.environment.close();
  }

  #inTransaction<T>(work: () => T): Promise<T> {
    return orUnavailable(this.environment.folder, () => this.environment.write(work));
  }
}

const placeOf = (number: number, { status, version, at, claim }: GenerationRecord) => ({
  number,
  claim,
  version: version ?? null,
  since: status === 'building' ? null : at,
});

/** Progress goes first, which stops the builder; the record goes last, so that an interrupted removal is resumed. */
async function dropGeneration(environment: Environment, generation: number): Promise<void> {
  await environment.write(() => void environment.progress.remove(generation));
  const space = generationSpace(generation);
  for (const store of [environment.records, environment.entries, environment.formerDocuments])
    await removeAll(environment, store, { start: space, end: behindAll(space) });
  const numbered = { start: [generation], end: [generation + 1] };
  await removeAll(environment, environment.formerChunks, numbered);
  await removeAll(environment, environment.formerPointers, numbered);
  await removeAll(environment, environment.parked, numbered);
  await environment.write(() => void environment.generations.remove(generation));
}

async function removeAll<V, K extends Key>(
  { write }: Environment,
  store: Database<V, K>,
  range: RangeOptions,
): Promise<void> {
  const removed = (): number => {
    const keys = [...store.getKeys({ ...range, limit: DROP_BATCH })];
    for (const key of keys) void store.remove(key);
    return keys.length;
  };
  while ((await write(removed)) > 0);
}

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
