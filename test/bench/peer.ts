import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChildServer } from '../servers/child-server.js';
import { processorTime, processorTimeAtRest } from './processor-time.js';
import { ratio, table } from './report.js';
import { tenantTokens } from './tenant-setup.js';
import { listsOf, nightsOf, sendAll, type NightCost, type TenantsOptions } from './tenants.js';
import { quantile } from './times.js';

const entry = fileURLToPath(new URL('peer-entry.js', import.meta.url));

type PeerNight = Pick<NightCost, 'name' | 'calls' | 'seconds' | 'p50' | 'p99' | 'whole'>;

/** Node.js has SQLite from 22 on. */
export const hasPeer = Number(process.versions.node.split('.')[0]) >= 22;

/** The same nights through a plain service (`peer-entry.ts`). */
export async function measurePeer(
  parent: string,
  { companies, employees }: TenantsOptions,
): Promise<readonly PeerNight[]> {
  const dataDir = await mkdtemp(join(parent, 'peer-'));
  const tokens = await tenantTokens(dataDir, companies);
  const peer = await startChildServer({ dataDir, entry });
  const { url, pid } = peer;
  const nights: PeerNight[] = [];
  try {
    for (const [name, listOf] of nightsOf(listsOf(employees))) {
      const before = processorTime([pid]);
      const { times, took } = await sendAll(url, tokens, listOf);
      nights.push({
        name,
        calls: times.length,
        seconds: took / 1_000,
        p50: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        whole: ((await processorTimeAtRest([pid])) - before) / times.length,
      });
    }
    return nights;
  } finally {
    await peer.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const rows: readonly (readonly [string, (night: PeerNight) => number])[] = [
  ['calls a second', ({ calls, seconds }) => calls / seconds],
  ['p50, ms', ({ p50 }) => p50],
  ['p99, ms', ({ p99 }) => p99],
  ['processor ms a call', ({ whole }) => whole],
];

/** The service beside the plain one: its figure, the plain one's, and how many times that. */
export function besidePeer(own: readonly PeerNight[], peer: readonly PeerNight[]): string {
  const pairs = own.flatMap((night, at) => {
    const plain = peer[at];
    return plain === undefined ? [] : [{ name: night.name, night, plain }];
  });
  const cells = (of: (night: PeerNight) => number): string[] =>
    pairs.flatMap(({ night, plain }) => [
      of(night).toFixed(2),
      of(plain).toFixed(2),
      ratio(of(night), of(plain)),
    ]);
  return table([
    ['', ...pairs.flatMap(({ name }) => [name, 'CRUD', 'times'])],
    ...rows.map(([what, of]) => [what, ...cells(of)]),
  ]);
}
