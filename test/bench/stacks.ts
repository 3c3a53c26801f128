import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareInstallation } from '../servers/prepared-data.js';
import { startThreeServers, type ThreeServers } from '../servers/three-servers.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { Bodies } from './bodies.js';
import { callCases, caseCompanies, type Costs } from './employee-cases.js';
import { employeeTable } from './employee-report.js';
import { hangUp } from './http-client.js';
import type { BenchOptions } from './options.js';
import { measureQueued } from './queued-imports.js';
import { startService } from './service.js';
import type { Stack } from './stack.js';
import { verdict, type Bench } from './targets.js';
import { timesOf } from './times.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** What `npm start` runs. */
const embedded: Stack = {
  name: 'embedded, npm start',
  config: embeddedAdapters,
  start: ({ dataDir }) => startService('together', dataDir),
};

const onServers = ({ urls }: ThreeServers): Stack => ({
  name: 'three servers, api + projector + worker',
  config: (dataDir) => {
    const own = randomBytes(6).toString('hex');
    return {
      dataDir,
      eventLog: { kind: 'eventstoredb', connectionString: urls.EVENTSTOREDB_URL },
      readModels: { kind: 'mongodb', url: `${urls.MONGODB_URL}/bench-${own}` },
      queue: { kind: 'nats', url: urls.NATS_URL, replicas: 1 },
      streamPrefix: `bench-${own}-`,
    };
  },
  start: (config) => startService('apart', config.dataDir, adapterEnvironment(config)),
});

async function measureOn(stack: Stack, parent: string, bodies: Bodies): Promise<Costs> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const config = stack.config(dataDir);
  const tokens = await prepareInstallation(config, caseCompanies);
  const running = await stack.start(config);
  try {
    return await callCases(running, tokens, bodies);
  } finally {
    hangUp();
    await running.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The stacks take turns, so that what the machine does meanwhile meets both. */
async function benchCalls(stacks: readonly Stack[], bench: Bench, bodies: Bodies): Promise<void> {
  const runs = new Map<Stack, Costs[]>(stacks.map((stack) => [stack, []]));
  for (let repetition = 0; repetition < bench.repetitions; repetition++)
    for (const stack of stacks) runs.get(stack)?.push(await measureOn(stack, bench.parent, bodies));
  for (const [{ name }, measured] of runs) bench.say(employeeTable({ bodies, runs: measured }, name));
  const [own = [], servers = []] = runs.values();
  for (const [figure, what] of firstLoadFigures)
    bench.say(
      `first load on three servers over the embedded one, ${what}: ${firstLoadRatio(own, servers, figure)}`,
    );
}

type FirstLoadFigure = 'clock' | 'readable';

const firstLoadFigures: readonly (readonly [FirstLoadFigure, string])[] = [
  ['clock', 'to the answer'],
  ['readable', 'until all can be read'],
];

function firstLoadRatio(own: readonly Costs[], servers: readonly Costs[], figure: FirstLoadFigure): string {
  const over = firstLoadOf(servers, figure) / firstLoadOf(own, figure);
  return `${over.toFixed(2)}  ${verdict(over, firstLoadTarget)}`;
}

/** What a first load may take on three servers, over the embedded one. */
const firstLoadTarget = 3;

const firstLoadOf = (runs: readonly Costs[], figure: FirstLoadFigure): number =>
  timesOf(runs.map((run) => run.get('first load')?.[figure] ?? NaN)).minimum;

/** What workers make of a full queue on the embedded default. */
export const benchWorkers = (bench: Bench, options: BenchOptions): Promise<void> =>
  benchQueued(embedded, bench, options);

async function benchQueued(stack: Stack, bench: Bench, options: BenchOptions): Promise<void> {
  for (const companies of options.companies)
    for (const workers of options.workers)
      bench.say(await measureQueued(stack, bench, { workers, companies }));
}

/** The embedded default and the three servers in one run: the calls, then what workers make of a full queue. */
export async function benchStacks(bench: Bench, options: BenchOptions): Promise<void> {
  const servers = await startThreeServers();
  const { parent, repetitions } = bench;
  try {
    const stacks = [embedded, onServers(servers)];
    for (const size of options.sizes) await benchCalls(stacks, bench, new Bodies(parent, size, repetitions));
    for (const stack of stacks) await benchQueued(stack, bench, options);
  } finally {
    await servers.stop();
  }
}
