import { openEmbeddedReadModels, openMongodbReadModels } from '@rollcall/adapters';
import type { Clock, ReadModels } from '@rollcall/application';

export interface StoreOptions {
  readonly clock: Clock;
  readonly projections?: string;
}

/** Every adapter by name; a location is whatever finds the same store again from another process. */
export const openers: Readonly<
  Record<string, (location: string, options: StoreOptions) => Promise<ReadModels>>
> = {
  embedded: (location, options) => openEmbeddedReadModels({ folder: location, ...options }),
  mongodb: (location, options) => openMongodbReadModels({ url: location, ...options }),
};

export function openStore(adapter: string, location: string, options: StoreOptions): Promise<ReadModels> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return opener(location, options);
}
