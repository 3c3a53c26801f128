import { besidePeer, hasPeer, measurePeer } from './peer.js';
import { table } from './report.js';
import { shapeNames } from './service.js';
import type { Bench } from './targets.js';
import {
  measureTenants,
  tenantConnections,
  type NightCost,
  type TenantCosts,
  type TenantsOptions,
} from './tenants.js';

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const rows: readonly (readonly [string, (night: NightCost) => string])[] = [
  ['calls', ({ calls }) => String(calls)],
  ['calls a second', ({ calls, seconds }) => (calls / seconds).toFixed(0)],
  ['p50, ms', ({ p50 }) => p50.toFixed(1)],
  ['p99, ms', ({ p99 }) => p99.toFixed(0)],
  ['processor ms a call, answering', ({ answering }) => answering.toFixed(2)],
  ['processor ms a call, all of the service', ({ whole }) => whole.toFixed(2)],
  ['processor ms a call, this client', ({ client }) => client.toFixed(2)],
  ['events appended', ({ appended }) => String(appended.events)],
  ['data and metadata, MiB', ({ appended }) => mib(appended.bytes)],
  ['bytes a call', ({ appended, calls }) => (appended.bytes / calls).toFixed(0)],
  ['log on disk, MiB', ({ logOnDisk }) => mib(logOnDisk)],
  ['read models on disk, MiB', ({ readModelsOnDisk }) => mib(readModelsOnDisk)],
  ['events behind at the last answer', ({ behind }) => String(behind)],
  ['caught up after, ms', ({ caughtUpMs }) => caughtUpMs.toFixed(0)],
  ['peak memory, MiB', ({ peakMemory }) => mib(peakMemory)],
  ['peak of anonymous memory, MiB', ({ peakAnonymous }) => mib(peakAnonymous)],
];

const costTable = ({ nights }: TenantCosts): string =>
  table([
    ['', ...nights.map(({ name }) => name)],
    ...rows.map(([name, of]) => [name, ...nights.map((night) => of(night))]),
  ]);

/** So many companies through their first two nights, and how long all of it took. */
export async function benchTenants(bench: Bench, options: TenantsOptions): Promise<void> {
  const { companies, employees, shape } = options;
  const begun = performance.now();
  const costs = await measureTenants(bench.parent, options);
  bench.say(
    `\n${companies} companies of ${employees} employees, ${shapeNames[shape]}, ${tenantConnections} connections; ` +
      `a list weighs ${costs.bodyBytes} bytes`,
  );
  bench.say(
    `Set up in ${costs.setupSeconds.toFixed(1)} s: companies by the command line's function, their API users with an append ` +
      `for each 1,000, tokens signed and not recorded; started in ${costs.startSeconds.toFixed(1)} s with ` +
      `${(costs.startProcessors / 1_000).toFixed(1)} s of the processors`,
  );
  bench.say(
    'First night: first loads. Second: the same lists, of each hundredth company with one changed employee.',
  );
  bench.say(costTable(costs));
  if (hasPeer) {
    bench.say('The same through a plain service, Fastify with Ajv and SQLite:');
    bench.say(besidePeer(costs.nights, await measurePeer(bench.parent, options)));
  }
  bench.say(`All of it took ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
}
