import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChildServer } from '../servers/child-server.js';
import { processorTime, processorTimeAtRest } from './processor-time.js';
import { ratio, table } from './report.js';
import type { Bench } from './targets.js';
import { tenantTokens } from './tenant-setup.js';
import { listsOf, nightsOf, sendAll, type NightCost, type TenantsOptions } from './tenants.js';
import { quantile } from './times.js';

const entry = fileURLToPath(new URL('peer-entry.js', import.meta.url));

type PeerNight = Pick<NightCost, 'name' | 'calls' | 'seconds' | 'p50' | 'p99' | 'whole'>;

/** The same nights through a plain service (`peer-entry.ts`). */
export async function measurePeer(
  parent: string,
  { companies, employees }: Omit<TenantsOptions, 'shape'>,
): Promise<readonly PeerNight[]> {
  const dataDir = await mkdtemp(join(parent, 'peer-'));
  const tokens = await tenantTokens(dataDir, companies);
  const peer = await startChildServer({ dataDir, entry });
  const { url, pid } = peer;
  const nights: PeerNight[] = [];
  try {
    for (const [name, listOf] of nightsOf(listsOf(employees, companies))) {
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

/** Of what a night may cost in times of the plain service; of calls a second at least. */
const targets = [{ rate: 1, p99: 1.5, whole: 1.3 }, { whole: 1 }] as const;

/** Notes the targets for companies that are not large. */
export function noteBesidePeer(
  bench: Bench,
  what: string,
  own: readonly PeerNight[],
  peer: readonly PeerNight[],
): void {
  for (const [at, night] of own.entries()) {
    const [plain, target] = [peer[at], targets[at]];
    if (plain === undefined || target === undefined) continue;
    const note = (figure: string, most: number, measured: number, isLeast = false): void =>
      bench.targets.note({
        what: `${what}, ${night.name}: ${figure}`,
        unit: 'of CRUD',
        target: most,
        measured,
        isLeast,
      });
    note('processors', target.whole, night.whole / plain.whole);
    if (!('rate' in target)) continue;
    note('calls a second', target.rate, rateOf(night) / rateOf(plain), true);
    note('p99', target.p99, night.p99 / plain.p99);
  }
}

const rateOf = ({ calls, seconds }: PeerNight): number => calls / seconds;

const rows: readonly (readonly [string, (night: PeerNight) => number])[] = [
  ['calls a second', rateOf],
  ['p50, ms', ({ p50 }) => p50],
  ['p99, ms', ({ p99 }) => p99],
  ['processor ms a call', ({ whole }) => whole],
];

/** The service beside the plain one: its figure, and where there is one the plain one's, and how many times that. */
export function besidePeer(own: readonly PeerNight[], peer: readonly PeerNight[]): string {
  const cells = (of: (night: PeerNight) => number): string[] =>
    own.flatMap((night, at) => {
      const plain = peer[at] && of(peer[at]);
      const figure = of(night);
      return [figure.toFixed(2), ...(plain === undefined ? [] : [plain.toFixed(2), ratio(figure, plain)])];
    });
  return table([
    ['', ...own.flatMap(({ name }, at) => [name, ...(peer[at] ? ['CRUD', 'times'] : [])])],
    ...rows.map(([what, of]) => [what, ...cells(of)]),
  ]);
}
