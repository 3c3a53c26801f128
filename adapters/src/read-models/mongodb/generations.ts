import { isOver } from '../generation-rules.js';
import { generationOf } from './documents.js';
import type { Connection } from './connection.js';
import type { GenerationRegistry } from './generation-registry.js';

/**
 * Forgets a generation, unless it was completed meanwhile, and removes its collections. What is left over when this is cut off
 * goes with the next sweep.
 */
export async function dropGeneration(
  connection: Connection,
  state: GenerationRegistry,
  one: { readonly number: number; readonly since: number | null },
): Promise<void> {
  const removed = await connection.write((deadline) => state.remove(one, deadline));
  if (!removed) return;
  for (const name of await collectionNames(connection))
    if (generationOf(name) === one.number) await dropCollection(connection, name);
}

/** Drops what nobody reads any more, and collections of generations that are no more: a late writer makes them again. */
export async function sweepGenerations(
  connection: Connection,
  state: GenerationRegistry,
  now: number,
): Promise<void> {
  const names = await collectionNames(connection);
  // Read behind the names: a generation is noted before it has a collection.
  const { known, generations } = await connection.read((deadline) => state.read(deadline));
  for (const one of known) if (isOver(one, known, now)) await dropGeneration(connection, state, one);
  const begun = new Set(known.map(({ number }) => number));
  // Where a removal was cut off between its two writes.
  for (const number of generations.keys())
    if (!begun.has(number)) await connection.write((deadline) => state.forget(number, deadline));
  for (const name of names) {
    const number = generationOf(name);
    if (number !== undefined && !begun.has(number)) await dropCollection(connection, name);
  }
}

const collectionNames = (connection: Connection): Promise<string[]> =>
  connection.read(async (deadline) => {
    const found = await deadline.step(() => connection.db.listCollections({}, { nameOnly: true }).toArray());
    return found.map(({ name }) => name);
  });

const dropCollection = (connection: Connection, name: string): Promise<boolean> =>
  connection.write((deadline) => deadline.step(() => connection.db.dropCollection(name)));
