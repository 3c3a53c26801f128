import { besidePeer, measurePeer, noteBesidePeer } from './peer.js';
import { table } from './report.js';
import { shapeNames } from './service.js';
import { sqlite } from './sqlite.js';
import type { BenchOptions } from './options.js';
import type { Bench } from './targets.js';
import { measureTenants, tenantConnections, type NightCost, type TenantsOptions } from './tenants.js';

const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

const rows: readonly (readonly [string, (night: NightCost) => string])[] = [
  ['processor ms a call, answering', ({ answering }) => answering.toFixed(2)],
  ['events behind at the last answer', ({ behind }) => String(behind)],
  ['caught up after, ms', ({ caughtUpMs }) => caughtUpMs.toFixed(0)],
  ['peak memory, MiB', ({ peakMemory }) => mib(peakMemory)],
  ['peak of anonymous memory, MiB', ({ peakAnonymous }) => mib(peakAnonymous)],
];

/** A list of so many employees is no longer the typical company's. */
const largeList = 1_000;
/** Employees of all companies with lists of one length; more where as many companies as asked for, with the shortest lists, have more. */
const leastOfAll = 200_000;

/** So many companies through their first two nights, and a plain service beside it. */
async function benchTenants(bench: Bench, options: TenantsOptions): Promise<void> {
  const { companies, employees, shape } = options;
  const own = await measureTenants(bench.parent, options);
  const what = `${companies} x ${employees} employees`;
  bench.say(`\n${what}, ${shapeNames[shape]}, ${tenantConnections} connections`);
  const peer = sqlite === undefined ? [] : await measurePeer(bench.parent, options);
  bench.say(besidePeer(own, peer));
  bench.say(
    table([['', ...own.map(({ name }) => name)], ...rows.map(([name, of]) => [name, ...own.map(of)])]),
  );
  if (employees < largeList) noteBesidePeer(bench, what, own, peer);
}

/** First loads, and the same lists again with one changed employee in each hundredth, of at most so many companies. */
export async function benchNights(
  bench: Bench,
  { tenants, employees, shapes: [shape = 'together'] }: BenchOptions,
): Promise<void> {
  const ofAll = Math.max(leastOfAll, tenants * Math.min(...employees));
  for (const each of employees) {
    const companies = Math.min(tenants, Math.max(1, Math.round(ofAll / each)));
    await benchTenants(bench, { companies, employees: each, shape });
  }
}
