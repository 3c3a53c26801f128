import { openEmbeddedReadModels, openMongodbReadModels } from '@rollcall/adapters';
import type { Clock, CollectionDeclaration, ReadModels } from '@rollcall/application';
import { writable, type WritableReadModels } from '../support/writable.js';

export interface StoreOptions {
  readonly clock: Clock;
  readonly projections?: string;
}

/** What the suites write into. */
export const testCollections: readonly CollectionDeclaration[] = [
  { name: 'things', owner: 'any', indexes: {} },
  { name: 'others', owner: 'any', indexes: {} },
  { name: 'dated', owner: 'any', indexes: { due: 2, size: 1 } },
  { name: 'streams', owner: 'any', indexes: {} },
];

const collections = testCollections;

/** Every adapter by name; a location is whatever finds the same store again from another process. */
export const openers: Readonly<
  Record<string, (location: string, options: StoreOptions) => Promise<ReadModels>>
> = {
  embedded: (location, options) => openEmbeddedReadModels({ folder: location, collections, ...options }),
  mongodb: (location, options) => openMongodbReadModels({ url: location, collections, ...options }),
};

export async function openStore(
  adapter: string,
  location: string,
  options: StoreOptions,
): Promise<WritableReadModels> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return writable(await opener(location, options));
}
