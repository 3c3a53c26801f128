import { openEmbeddedEventLog, openEventStoreDbEventLog } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';

/** Every adapter by name; a location is whatever finds the same log again from another process. */
export const openers: Readonly<Record<string, (location: string, prefix: string) => Promise<EventLog>>> = {
  embedded: (location, streamPrefix) => openEmbeddedEventLog({ folder: location, streamPrefix }),
  eventstoredb: (location, prefix) => {
    const [place = '', connectionString = ''] = location.split(' ');
    return openEventStoreDbEventLog({ connectionString, streamPrefix: place + prefix });
  },
};

export function openLog(adapter: string, location: string, installation = ''): Promise<EventLog> {
  const opener = openers[adapter];
  if (opener === undefined) throw new Error(`No adapter is called ${adapter}`);
  return opener(location, installation);
}
