import { isOver, liveOf, type KnownGeneration, type OwnVersion } from '../generation-rules.js';
import { fromStored, type Environment, type GenerationRecord } from './environment.js';
import { behindAll, generationSpace } from './keys.js';

const DROP_BATCH = 5_000;

/** Creates the first generation in an empty store, and may be read at once. */
export function beginEmpty(environment: Environment, version: OwnVersion, now: number): void {
  environment.root.transactionSync(() => {
    if (environment.numbers.get('last') !== undefined) return;
    void environment.numbers.put('last', 1);
    begin(environment, 1, { status: 'live', at: now, ...(version !== undefined && { version }) });
  });
}

/** The number of a new, empty generation. */
export async function addGeneration(
  environment: Environment,
  version: OwnVersion,
  now: number,
): Promise<number> {
  return environment.root.transaction(() => {
    const generation = (environment.numbers.get('last') ?? 0) + 1;
    void environment.numbers.put('last', generation);
    begin(environment, generation, {
      status: 'building',
      at: now,
      ...(version !== undefined && { version }),
    });
    return generation;
  });
}

function begin(environment: Environment, generation: number, record: GenerationRecord): void {
  void environment.generations.put(generation, record);
  void environment.progress.put(generation, { position: null });
}

const placeOf = (number: number, { status, version, at }: GenerationRecord) => ({
  number,
  version: version ?? null,
  since: status === 'building' ? null : at,
});

/** The generation that processes of this version read. Looked for from the newest on: it is that, or the one before. */
export function liveGeneration(environment: Environment, version: OwnVersion): number | undefined {
  for (let number = environment.numbers.get('last') ?? 0; number > 0; number--) {
    const record = environment.generations.get(number);
    if (record !== undefined && liveOf([placeOf(number, record)], version)) return number;
  }
  return undefined;
}

/** All that there are. */
export function knownGenerations(environment: Environment): KnownGeneration[] {
  environment.root.resetReadTxn();
  return [...environment.generations.getRange()].map(({ key, value }) => {
    const stored = environment.progress.get(key) ?? { position: null };
    return {
      ...placeOf(key, value),
      begun: value.at,
      written: stored.at ?? 0,
      progress: fromStored(stored),
    };
  });
}

/** False where the generation is gone. */
export async function makeLive(environment: Environment, generation: number, now: number): Promise<boolean> {
  return environment.root.transaction(() => {
    const record = environment.generations.get(generation);
    // Without progress it is being dropped.
    if (record === undefined || environment.progress.get(generation) === undefined) return false;
    if (record.status === 'building')
      void environment.generations.put(generation, { ...record, status: 'live', at: now });
    return true;
  });
}

/**
 * Removes everything of a generation, in small transactions; its progress first, so that whoever still builds it stops,
 * its record last, so that a removal that was cut off is taken up again.
 */
export async function dropGeneration(environment: Environment, generation: number): Promise<void> {
  await environment.progress.remove(generation);
  const space = generationSpace(generation);
  const all = { limit: DROP_BATCH };
  const numbered = { start: [generation], end: [generation + 1], ...all };
  for (const store of [environment.records, environment.entries, environment.formerDocuments])
    await removeAll(store, () => [...store.getKeys({ start: space, end: behindAll(space), ...all })]);
  const { formerChunks, formerPointers, broken } = environment;
  await removeAll(formerChunks, () => [...formerChunks.getKeys({ ...numbered })]);
  await removeAll(formerPointers, () => [...formerPointers.getKeys({ ...numbered })]);
  await removeAll(broken, () => [...broken.getKeys({ ...numbered })]);
  await environment.generations.remove(generation);
}

/** The same, unless it is complete by now. */
export async function dropUnfinished(environment: Environment, generation: number): Promise<void> {
  const dropped = await environment.root.transaction(() => {
    if (environment.generations.get(generation)?.status !== 'building') return false;
    void environment.progress.remove(generation);
    return true;
  });
  if (dropped) await dropGeneration(environment, generation);
}

interface Removable<K> {
  batch(action: () => void): Promise<boolean>;
  remove(key: K): Promise<boolean>;
}

async function removeAll<K>(store: Removable<K>, keys: () => readonly K[]): Promise<void> {
  for (let some = keys(); some.length > 0; some = keys()) {
    const chosen = some;
    await store.batch(() => {
      for (const key of chosen) void store.remove(key);
    });
  }
}

/** Drops what nobody reads any more, and what earlier versions left behind of generations that they dropped. */
export async function sweepGenerations(environment: Environment, now: number): Promise<void> {
  const all = knownGenerations(environment);
  for (const one of all) if (isOver(one, all, now)) await dropGeneration(environment, one.number);
  for (const number of generationsOf(environment.records))
    if (environment.generations.get(number) === undefined) await dropGeneration(environment, number);
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
