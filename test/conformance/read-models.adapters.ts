import { openEmbeddedReadModels, openMongodbReadModels } from '@rollcall/adapters';
import type { Clock, ReadModels } from '@rollcall/application';

/** Every adapter by name; a location is whatever finds the same store again from another process. */
export const openers: Readonly<Record<string, (location: string, clock: Clock) => Promise<ReadModels>>> = {
  embedded: (location, clock) => openEmbeddedReadModels({ folder: location, clock }),
  mongodb: (location, clock) => openMongodbReadModels({ url: location, clock }),
};

export function openStore(adapter: string, location: string, clock: Clock): Promise<ReadModels> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return opener(location, clock);
}
