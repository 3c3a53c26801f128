import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapters, type Adapters, type AdaptersConfig } from '@rollcall/adapters';
import { notProjected, partCount, partsIn, readModelsVersion } from '@rollcall/application';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { entryOf, startChild, type ChildProcess } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { until } from '../support/until.js';
import { processorTime, processorTimeAtRest } from './processor-time.js';
import type { Stack } from './stack.js';
import type { Bench } from './targets.js';
import { prepareTenants } from './tenant-setup.js';
import { listsOf, sendAll } from './tenants.js';

const employees = 50;
const withinMs = 600_000;

/** By how much several are faster, at least. */
const targets = { 1: 1, 2: 1.7, 4: 3 } as const;

/** Of one load: how long it took, and milliseconds of the processors of each projector. */
interface Load {
  readonly seconds: number;
  readonly each: readonly number[];
}

interface Projectors {
  readonly on: Adapters;
  readonly all: readonly ChildProcess[];
}

async function reachEnd({ log, readModels }: Adapters): Promise<void> {
  const end = await log.lastPosition({ withoutStreams: notProjected });
  if (end !== undefined && !(await readModels.reachedPosition(end, withinMs)))
    throw new Error('the projectors do not come to the end');
}

const timesOf = (all: readonly ChildProcess[]): readonly number[] =>
  all.map(({ pid }) => processorTime([pid]));

/** Until each of them holds its share. */
const share = ({ on, all }: Projectors): Promise<unknown> =>
  until('they share the parts', async () => {
    const leases = (await (await on.readModels.liveGeneration()).leases())?.split(' ') ?? [];
    const held = leases.map((one) => partsIn(BigInt(`0x${one.split(':')[2]}`)).length);
    return held.length === all.length && held.every((one) => one === partCount / all.length);
  });

async function loadOf({ on, all }: Projectors, begin = (): void => undefined): Promise<Load> {
  const before = timesOf(all);
  const begun = performance.now();
  begin();
  await reachEnd(on);
  const seconds = (performance.now() - begun) / 1_000;
  await processorTimeAtRest(all.map(({ pid }) => pid));
  return { seconds, each: timesOf(all).map((time, at) => time - (before[at] ?? 0)) };
}

/** They are warm, and stand still with their shares while all companies send a list. */
async function backlog(projectors: Projectors, fill: () => Promise<unknown>): Promise<Load> {
  const { on, all } = projectors;
  await reachEnd(on);
  await share(projectors);
  for (const one of all) one.signal('SIGSTOP');
  await fill();
  return loadOf(projectors, () => {
    for (const one of all) one.signal('SIGCONT');
  });
}

/** So many projectors on the same log with read models of their own: complete and empty ones, or none. */
async function measure(config: AdaptersConfig, count: number, fill?: () => Promise<unknown>): Promise<Load> {
  const { dataDir, readModels } = config;
  if (readModels.kind !== 'mongodb') throw new Error('several projectors need servers');
  const url = `${readModels.url}-${fill ? 'backlog' : 'rebuild'}-${count}`;
  const fresh = { ...config, readModels: { ...readModels, url } };
  const options = { dataDir, env: { ...adapterEnvironment(fresh), VERIFY_EVERY: 'off' } };
  const on = await openAdapters({ ...fresh, projections: readModelsVersion });
  if (fill !== undefined) await on.readModels.beginEmpty();
  const all = await Promise.all(Array.from({ length: count }, () => startChild('projector', options)));
  try {
    return await (fill ? backlog({ on, all }, fill) : loadOf({ on, all }));
  } finally {
    await Promise.all(all.map((one) => one.kill()));
    await on.close();
  }
}

/**
 * One, two and four in one run: what one alone works, over what the busiest of several works. A backlog meets warm programs, a rebuild
 * those that have just started. The servers are of the same machine.
 */
export async function benchProjectors(
  stack: Stack,
  { parent, say }: Bench,
  companies: number,
): Promise<void> {
  const config = stack.config(await mkdtemp(join(parent, 'projectors-')));
  const { dataDir } = config;
  say(
    `\n${companies} lists of ${employees} for several projectors on servers, five times as many for their rebuild`,
  );
  const tokens = await prepareTenants(dataDir, companies, config);
  const lists = listsOf(employees, companies);
  const api = await startChildServer({ dataDir, env: adapterEnvironment(config), entry: entryOf('api') });
  let night = 0;
  const fill = (): Promise<unknown> => {
    night += 1;
    return sendAll(api.url, tokens, (company) => lists[(company + night) % lists.length] ?? '');
  };
  try {
    // First loads and changes, with which the programs warm up.
    await fill();
    await fill();
    await compare('backlog', say, (count) => measure(config, count, fill));
    await compare('rebuild', say, (count) => measure(config, count));
  } finally {
    await api.kill();
  }
}

async function compare(
  what: string,
  say: Bench['say'],
  measured: (count: number) => Promise<Load>,
): Promise<void> {
  let alone = NaN;
  for (const count of [1, 2, 4] as const) {
    const { seconds, each } = await measured(count);
    const busiest = Math.max(...each);
    if (count === 1) alone = busiest;
    const ratio = alone / busiest;
    const times = each.map((time) => (time / 1_000).toFixed(2)).join(', ');
    const told = `${ratio.toFixed(2)} ${ratio >= targets[count] ? 'ok' : 'short'} (${targets[count]})`;
    say(`${what}, projectors: ${count}, ${seconds.toFixed(1)} s; ${times} s of the processors: ${told}`);
  }
}
