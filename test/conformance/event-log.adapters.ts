import { openEmbeddedEventLog, openEventStoreDbEventLog } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';

/** Every adapter by name; a location is whatever finds the same log again from another process. */
export const openers: Readonly<Record<string, (location: string) => Promise<EventLog>>> = {
  embedded: (location) => openEmbeddedEventLog({ folder: location }),
  eventstoredb: (location) => {
    const [streamPrefix = '', connectionString = ''] = location.split(' ');
    return openEventStoreDbEventLog({ connectionString, streamPrefix });
  },
};

export function openLog(adapter: string, location: string): Promise<EventLog> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return opener(location);
}
