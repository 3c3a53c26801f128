import { openEmbeddedSnapshots, openMongodbSnapshots } from '@rollcall/adapters';
import type { Clock, StateSnapshots } from '@rollcall/application';

/** A location is whatever finds the same store again from another process. */
export async function openSnapshots(
  adapter: string,
  location: string,
  clock: Clock,
): Promise<StateSnapshots> {
  if (adapter === 'embedded') return openEmbeddedSnapshots({ folder: location, clock });
  if (adapter === 'mongodb') return openMongodbSnapshots({ url: location, clock });
  throw new Error(`No adapter is called ${adapter}`);
}
