import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { openAdapters, type Adapters, type AdaptersConfig } from '@rollcall/adapters';
import { partProblems } from '@rollcall/host';
import { systemClock } from '@rollcall/application';
import { run as runCommand } from '@rollcall/cli';
import { projections, runProjector, Sweeper } from '@rollcall/projector';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { neighbours } from '../servers/eventstoredb-stand-in.support.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const COUNTS = [0, 1_000_000, 3_000_000];

type Times = Map<string, number>;

/**
 * What an installation costs on a server that others have filled, for each number of their events: the first looks of a
 * process and a building of the read models, and then the same again, which must not grow.
 */
export async function benchNeighbours(parent: string, say: (text: string) => void): Promise<void> {
  const measured: Times[] = [];
  for (const count of COUNTS) measured.push(await measure(parent, count));
  say(`\nMilliseconds beside others' events on the same EventStoreDB\n${rowOf('', COUNTS.map(String))}`);
  for (const what of measured[0]?.keys() ?? [])
    say(
      rowOf(
        what,
        measured.map((times) => (times.get(what) ?? NaN).toFixed(0)),
      ),
    );
}

const rowOf = (what: string, cells: readonly string[]): string =>
  [what.padEnd(44), ...cells.map((cell) => cell.padStart(9))].join('');

async function measure(parent: string, count: number): Promise<Times> {
  const server = await EventStoreDbServer.start();
  const client = EventStoreDBClient.connectionString(server.url);
  const dataDir = await mkdtemp(join(parent, 'data-'));
  const eventLog = { kind: 'eventstoredb', connectionString: server.url } as const;
  const config = { ...embeddedAdapters(dataDir), eventLog, streamPrefix: 'bench-' };
  const settle = async (): Promise<void> => {
    if (count > 0) await client.appendToStream('others', neighbours(count / 2));
  };
  try {
    await settle();
    await prepareInstallation(config, [1, 2]);
    await settle();
    return await measureOn(config);
  } finally {
    await client.dispose();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureOn(config: AdaptersConfig): Promise<Times> {
  const times: Times = new Map();
  const time = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work();
    times.set(what, performance.now() - begun);
  };
  await time('command, first look: company list', () => command(config, 'company', 'list'));
  const adapters = await openAdapters(config);
  try {
    await time('start, first look: end of the log', () => adapters.log.lastPosition());
    await time('build the read models', () => untilProjected(adapters));
    await time('command, first look: projections status', () => command(config, 'projections', 'status'));
    const sweeper = new Sweeper({ ...adapters, clock: systemClock });
    const list = () => names(adapters, 'company-');
    for (const turn of ['first', 'again']) {
      await time(`end of the log, ${turn}`, () => adapters.log.lastPosition());
      await time(`list of companies, ${turn}`, list);
      await time(`sweep, ${turn}`, () => sweeper.sweep());
      await time(`status (readiness), ${turn}`, () => partProblems({ ...adapters, clock: systemClock }));
      await time(`projector takes up its work, ${turn}`, () => untilProjected(adapters));
    }
    return times;
  } finally {
    await adapters.close();
  }
}

async function names({ log }: Adapters, begin: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { stream } of log.listStreams(begin)) found.push(stream);
  return found;
}

async function untilProjected({ log, readModels }: Adapters): Promise<void> {
  const stop = new AbortController();
  const running = runProjector({ log, readModels, projections, signal: stop.signal });
  const last = await log.lastPosition();
  await readModels.reachedPosition(last ?? 0n, 60_000);
  stop.abort();
  await running;
}

async function command(
  { dataDir, eventLog, streamPrefix }: AdaptersConfig,
  ...args: string[]
): Promise<void> {
  const env = {
    DATA_DIR: dataDir,
    EVENT_LOG: eventLog.kind,
    ...(eventLog.kind === 'eventstoredb' && { EVENTSTOREDB_URL: eventLog.connectionString }),
    STREAM_PREFIX: streamPrefix,
  };
  let told = '';
  const code = await runCommand(args, {
    env,
    clock: systemClock,
    newId: () => '',
    out: () => Promise.resolve(),
    err: (text) => (told += text),
    screen: undefined,
    start: () => undefined,
    sleep: () => Promise.resolve(),
  });
  if (code !== 0) throw new Error(`rollcall ${args.join(' ')} ended with ${code}: ${told}`);
}
