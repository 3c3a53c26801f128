import { generationOf } from './documents.js';
import type { Connection } from './connection.js';
import type { GenerationInfo } from '@rollcall/application';
import type { GenerationRegistry, StoreState } from './generation-registry.js';

/** A retired generation may still be read for so long; one that is being built and was left alone goes as well. */
const RETIRED_MS = 60 * 60_000;

/**
 * Forgets a generation and removes its collections; the live one stays. What is left over when this is cut off goes with
 * the next sweep.
 */
export async function dropGeneration(
  connection: Connection,
  state: GenerationRegistry,
  number: number,
): Promise<void> {
  const removed = await connection.write((deadline) => state.remove(number, deadline));
  if (!removed) return;
  for (const name of await collectionNames(connection))
    if (generationOf(name) === number) await dropCollection(connection, name);
}

/** Drops what nobody reads any more, and collections of generations that are no more: a late writer makes them again. */
export async function sweepGenerations(
  connection: Connection,
  state: GenerationRegistry,
  now: number,
): Promise<void> {
  const names = await collectionNames(connection);
  // Read behind the names: a generation is noted before it has a collection.
  const store = await connection.read((deadline) => state.read(deadline));
  for (const number of store.begun.keys())
    if (isOver(store, number, now)) await dropGeneration(connection, state, number);
  // Where a removal was cut off between its two writes.
  for (const number of store.generations.keys())
    if (!store.begun.has(number)) await connection.write((deadline) => state.forget(number, deadline));
  for (const name of names) {
    const number = generationOf(name);
    if (number !== undefined && !store.begun.has(number)) await dropCollection(connection, name);
  }
}

function isOver(store: StoreState, number: number, now: number): boolean {
  if (number === store.live) return false;
  const begun = store.begun.get(number) ?? 0;
  const written = store.generations.get(number)?.at ?? 0;
  // Whoever read the one that was live until then may do so until an hour after the switch.
  return now - Math.max(begun, written, store.since) > RETIRED_MS;
}

const collectionNames = (connection: Connection): Promise<string[]> =>
  connection.read(async (deadline) => {
    const found = await deadline.step(() => connection.db.listCollections({}, { nameOnly: true }).toArray());
    return found.map(({ name }) => name);
  });

const dropCollection = (connection: Connection, name: string): Promise<boolean> =>
  connection.write((deadline) => deadline.step(() => connection.db.dropCollection(name)));

/** A number above that of the live one is being built; whoever is below it was live, or was overtaken while it was built. */
export const generationInfos = ({ live, since, begun, generations }: StoreState): GenerationInfo[] =>
  [...begun]
    .sort(([one], [other]) => one - other)
    .map(([number, begunAt]) => ({
      name: `generation-${number}`,
      status: number === live ? 'live' : number > live ? 'building' : 'retired',
      position: generations.get(number)?.progress.position,
      at: number > live ? Math.max(begunAt, generations.get(number)?.at ?? 0) : since,
    }));
