import type { Environment, GenerationRecord } from './environment.js';
import { behindAll, generationSpace } from './keys.js';

/** A retired generation may still be read for so long; one that is being built and was left alone goes as well. */
export const RETIRED_MS = 60 * 60_000;

const DROP_BATCH = 5_000;

/** Creates the first generation in an empty store. */
export function ensureLive(environment: Environment, now: number): void {
  environment.root.transactionSync(() => {
    if (environment.numbers.get('live') !== undefined) return;
    void environment.numbers.put('last', 1);
    void environment.numbers.put('live', 1);
    begin(environment, 1, { status: 'live', at: now });
  });
}

/** The number of a new, empty generation. */
export async function addGeneration(environment: Environment, now: number): Promise<number> {
  return environment.root.transaction(() => {
    const generation = (environment.numbers.get('last') ?? 0) + 1;
    void environment.numbers.put('last', generation);
    begin(environment, generation, { status: 'building', at: now });
    return generation;
  });
}

function begin(environment: Environment, generation: number, record: GenerationRecord): void {
  void environment.generations.put(generation, record);
  void environment.progress.put(generation, { position: null, parts: 0 }, 1);
}

export const liveGeneration = (environment: Environment): number => environment.numbers.get('live') ?? 1;

/** False where the generation is gone. */
export async function makeLive(environment: Environment, generation: number, now: number): Promise<boolean> {
  return environment.root.transaction(() => {
    const before = liveGeneration(environment);
    if (environment.generations.get(generation) === undefined) return false;
    if (before === generation) return true;
    void environment.numbers.put('live', generation);
    void environment.generations.put(generation, { status: 'live', at: now });
    void environment.generations.put(before, { status: 'retired', at: now });
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
  await removeAll(environment.documents, () => [
    ...environment.documents.getKeys({ start: space, end: behindAll(space), ...all }),
  ]);
  await removeAll(environment.chunks, () => [...environment.chunks.getKeys({ ...numbered })]);
  await removeAll(environment.pointers, () => [...environment.pointers.getKeys({ ...numbered })]);
  await removeAll(environment.broken, () => [...environment.broken.getKeys({ ...numbered })]);
  await environment.generations.remove(generation);
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

/** Drops what nobody reads any more. */
export async function sweepGenerations(environment: Environment, now: number): Promise<void> {
  const over = [...environment.generations.getRange()].filter(
    ({ value }) => value.status !== 'live' && now - value.at > RETIRED_MS,
  );
  for (const { key } of over) await dropGeneration(environment, key);
}
