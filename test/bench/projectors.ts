import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openAdapters, type AdaptersConfig } from '@rollcall/adapters';
import { readModelsVersion } from '@rollcall/application';
import { employeesBody } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { startChild, type ChildOptions } from '../servers/child-process.js';
import { startThreeServers, type ThreeServers } from '../servers/three-servers.js';
import { carryLoad, messageOf } from './load-client.js';
import { processorTime } from './processor-time.js';
import { startService } from './service.js';
import type { Bench } from './targets.js';
import { prepareTenants } from './tenant-setup.js';

const employees = 200;
const connections = 16;
const withinMs = 600_000;

/** How often as fast a number of projectors are to be as one. */
const targets: ReadonlyMap<number, number> = new Map([
  [2, 1.7],
  [4, 3],
]);

const works = ['backlog', 'rebuild'] as const;
type Work = (typeof works)[number];

const ofServers = ({ urls }: ThreeServers, dataDir: string, streamPrefix: string): AdaptersConfig => ({
  dataDir,
  eventLog: { kind: 'eventstoredb', connectionString: urls.EVENTSTOREDB_URL },
  readModels: { kind: 'mongodb', url: `${urls.MONGODB_URL}/bench-${randomBytes(6).toString('hex')}` },
  queue: { kind: 'nats', url: urls.NATS_URL, replicas: 1 },
  streamPrefix,
});

/** A list of each of these companies: for changed ones the stand-in of MongoDB would read whole collections. */
async function fill(config: AdaptersConfig, companies: number): Promise<void> {
  const tokens = await prepareTenants(config, companies);
  const service = await startService('apart', config.dataDir, adapterEnvironment(config));
  const { url } = service;
  const body = employeesBody(employees).toString();
  let sent = 0;
  const next = (): Buffer | undefined => {
    const company = sent++;
    if (company >= companies) return undefined;
    const path = `/v1.0/Company/${company + 1}/Employee`;
    return messageOf(url, { method: 'PUT', path, token: tokens[company] ?? '', body });
  };
  try {
    await carryLoad({ url, connections, next });
  } finally {
    await service.kill();
  }
}

interface Took {
  readonly clock: number;
  /** Of each projector. */
  readonly processor: readonly number[];
}

/** With what it had spent when it began: programs are loaded by then. */
async function started(options: Omit<ChildOptions, 'entry'>) {
  const child = await startChild('projector', options);
  return { child, pid: child.pid, before: processorTime([child.pid]) };
}

/** From empty read models to the end of the log: those that are live, or those that nobody has built. */
async function project(config: AdaptersConfig, projectors: number, work: Work): Promise<Took> {
  const on = await openAdapters({ ...config, projections: readModelsVersion });
  const env = { ...adapterEnvironment(config), INVITATION_RATE: '0' };
  const children = [];
  try {
    const end = (await on.log.lastPosition()) ?? 0n;
    if (work === 'backlog') await on.readModels.beginEmpty();
    const begun = performance.now();
    for (let n = 0; n < projectors; n += 1) children.push(started({ ...config, env }));
    const running = await Promise.all(children);
    const isThere = (): Promise<boolean> => on.readModels.reachedPosition(end, 1_000).catch(() => false);
    while (!(await isThere())) if (performance.now() - begun > withinMs) throw new Error('it takes too long');
    const clock = performance.now() - begun;
    return { clock, processor: running.map(({ pid, before }) => processorTime([pid]) - before) };
  } finally {
    await Promise.all(children.map(async (child) => (await child).child.kill()));
    await on.close();
  }
}

async function benchWork(
  { say, targets: noted }: Bench,
  work: Work,
  project: (projectors: number) => Promise<Took>,
): Promise<void> {
  let alone = NaN;
  for (const projectors of [1, ...targets.keys()]) {
    const { clock, processor } = await project(projectors);
    const busiest = Math.max(...processor);
    if (projectors === 1) alone = busiest;
    const each = processor.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
    say(`${work}, ${projectors}: ${(clock / 1_000).toFixed(1)} s, processors ${each} s`);
    const target = targets.get(projectors);
    const what = `${work}: one projector over the busiest of ${projectors}`;
    if (target !== undefined)
      noted.note({ what, unit: '', target, measured: alone / busiest, isLeast: true });
  }
}

/** How much less the busiest of several projectors has to do than one alone. By the clock only as far as there are processors. */
export async function benchProjectors(bench: Bench, companies: number): Promise<void> {
  const servers = await startThreeServers();
  const dataDir = await mkdtemp(join(bench.parent, 'projectors-'));
  const prefix = `bench-${randomBytes(6).toString('hex')}-`;
  const config = (): AdaptersConfig => ofServers(servers, dataDir, prefix);
  try {
    await fill(config(), companies);
    bench.say(`\n${companies} lists of ${employees}, projected from nothing on servers`);
    for (const work of works)
      await benchWork(bench, work, (projectors) => project(config(), projectors, work));
  } finally {
    await servers.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
