import { openAdapters } from '@rollcall/adapters';
import { callTerm, readModelsVersion, systemClock } from '@rollcall/application';
import { CallKeeper } from '@rollcall/projector';
import { embeddedAdapters } from '../support/embedded-adapters.js';

export interface Removal {
  readonly removed: number;
  /** By the clock, and of the processors, in ms. */
  readonly clock: number;
  readonly processors: number;
}

/** One look of the keeper of calls at a data folder, with nothing beside it. Prints what it cost as JSON. */
const [dataDir = '', days = ''] = process.argv.slice(2);
const adapters = await openAdapters({ ...embeddedAdapters(dataDir), projections: readModelsVersion });
const before = process.cpuUsage();
const begun = performance.now();
const { signal } = new AbortController();
const removed = await new CallKeeper({
  ...adapters,
  signal,
  clock: systemClock,
  term: callTerm(days),
}).look();
const clock = performance.now() - begun;
const { user, system } = process.cpuUsage(before);
await adapters.close();
process.stdout.write(
  JSON.stringify({ removed, clock, processors: (user + system) / 1_000 } satisfies Removal),
);
