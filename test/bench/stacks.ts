import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedAdapters } from '@rollcall/adapters';
import { startChildParts } from '../servers/child-parts.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { startThreeServers, type ThreeServers } from '../servers/three-servers.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { bodiesOf, callCases, caseNames, type Bodies } from './employee-cases.js';
import { parseFloor, timesOf } from './floors.js';
import { hangUp } from './http-client.js';
import type { BenchOptions } from './options.js';
import { measureQueued } from './queued-imports.js';
import { table } from './report.js';
import type { Stack } from './stack.js';

/** What `npm start` runs. */
const embedded: Stack = {
  name: 'embedded, npm start',
  config: embeddedAdapters,
  start: ({ dataDir }) => startChildServer({ dataDir }),
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
  start: async (config) => {
    const parts = await startChildParts({ dataDir: config.dataDir, env: adapterEnvironment(config) });
    const [api] = parts.apis;
    return { url: api?.url ?? '', pid: api?.pid ?? 0, kill: () => parts.kill() };
  },
});

type Measurement = Awaited<ReturnType<typeof callCases>>;

async function measureOn(stack: Stack, parent: string, bodies: Bodies, size: number): Promise<Measurement> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const config = stack.config(dataDir);
  const tokens = await prepareInstallation(config, [1, 2]);
  const running = await stack.start(config);
  try {
    return await callCases(running, tokens, bodies, size);
  } finally {
    hangUp();
    await running.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The stacks take turns, so that what the machine does meanwhile meets both. */
async function benchCalls(stacks: readonly Stack[], parent: string, size: number, repetitions: number) {
  const bodies = bodiesOf(size);
  const floor = parseFloor(bodies.plain, repetitions);
  const runs = new Map<Stack, Measurement[]>(stacks.map((stack) => [stack, []]));
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const stack of stacks) runs.get(stack)?.push(await measureOn(stack, parent, bodies, size));
  const rows = [...runs].flatMap(([{ name }, measured]) =>
    caseNames
      .filter((what) => what !== 'replay')
      .map((what) => ({
        what: `${what}: ${name}`,
        times: timesOf(measured.map((one) => one[what].milliseconds)),
        floor,
        sign: 'P' as const,
        memory: {
          rss: Math.max(...measured.map((one) => one[what].rss)),
          anonymous: Math.max(...measured.map((one) => one[what].anonymous)),
        },
      })),
  );
  return `\n${size} employees; P = ${floor.minimum.toFixed(1)} ms, median ${floor.median.toFixed(1)} ms\n${table(rows)}`;
}

/** The embedded default and the three servers in one run: the calls, then what workers make of a full queue. */
export async function benchStacks(
  parent: string,
  options: BenchOptions,
  say: (text: string) => void,
): Promise<void> {
  const servers = await startThreeServers();
  try {
    const { companies } = options;
    const stacks = [embedded, onServers(servers)];
    for (const size of options.sizes) say(await benchCalls(stacks, parent, size, options.repetitions));
    for (const stack of stacks)
      for (const workers of options.workers) say(await measureQueued(stack, parent, { workers, companies }));
  } finally {
    await servers.stop();
  }
}
