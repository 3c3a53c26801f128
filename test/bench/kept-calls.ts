import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { open } from 'lmdb';
import { employeesBody } from '../generators/employees.js';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { rollcallCommand } from '../support/bundles.js';
import { writeAgedCalls } from './aged-calls.js';
import type { Removal } from './call-keeper-entry.js';
import { bytesIn } from './disk.js';
import { carryLoad, messageOf, type SmallCall } from './load-client.js';
import { SmallCallers } from './small-callers.js';
import type { Bench } from './targets.js';
import { TenantStores } from './tenant-stores.js';
import { quantile } from './times.js';

const run = promisify(execFile);
const keeperProgram = fileURLToPath(new URL('call-keeper-entry.js', import.meta.url));
const companies = Array.from({ length: 100 }, (_, index) => index + 1);
const days = 800;
/** What is removed alone, and what is removed beside calls. */
const terms = { alone: '600d', beside: '400d' } as const;
const target = 250;
const withinMs = 30 * 60_000;

const list = employeesBody(3).toString();
const callsOf = (tokens: readonly string[]): Readonly<Record<string, readonly SmallCall[]>> => ({
  'PUT of 3': tokens.map((token, index) => ({
    ...{ method: 'PUT', path: `/v1.0/Company/${index + 1}/Employee`, token, body: list },
  })),
  'GET ApiCalls': tokens.map((token, index) => ({
    ...{ method: 'GET', path: `/v1.0/Company/${index + 1}/ApiCalls`, token },
  })),
});

/** Bytes of the read models: in pages that hold something, and of the file. */
async function sizeOf(dataDir: string): Promise<{ readonly used: number; readonly file: number }> {
  const folder = join(dataDir, 'read-models');
  const root = open({ path: folder, noSubdir: false, readOnly: true });
  let used = 0;
  for (const name of ['records', 'entries']) {
    const stats = root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' }).getStats();
    const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = stats as Record<
      string,
      number
    >;
    used +=
      (pageSize ?? NaN) *
      ((treeBranchPageCount ?? NaN) + (treeLeafPageCount ?? NaN) + (overflowPages ?? NaN));
  }
  await root.close();
  return { used, file: await bytesIn(folder) };
}

/** Milliseconds of calls from the start of the service on: until it has removed rows, or for some seconds where it keeps all. */
async function callsBeside(
  dataDir: string,
  tokens: readonly string[],
  keeps: { readonly term: string; readonly untilMs?: number },
): Promise<readonly number[][]> {
  const env = { KEEP_CALLS: keeps.term, LOG_LEVEL: 'info' };
  const service = new ChildProcess({ dataDir, entry: entryOf('standalone'), env });
  const callers = await SmallCallers.start();
  try {
    const url = await service.says(/https?:\/\/[\d.]+:\d+/);
    const probes = Object.values(callsOf(tokens)).map((calls) => ({ url, calls }));
    const [times] = await callers.beside(probes, async () => {
      if (keeps.untilMs !== undefined) return wait(keeps.untilMs);
      await service.says(/past their term/, withinMs);
    });
    return times;
  } finally {
    callers.end();
    await service.stop();
  }
}

/** Fills the read models, and adds calls. Bytes by which the file grew. */
async function serveAll(dataDir: string, tokens: readonly string[], calls: number): Promise<number> {
  const before = await bytesIn(join(dataDir, 'read-models'));
  const child = await startChildServer({ dataDir, env: { KEEP_CALLS: 'all' }, readyWithinMs: withinMs });
  const stores = await TenantStores.open(dataDir);
  await stores.caughtUp(withinMs);
  const messages = callsOf(tokens)['PUT of 3']?.map((each) => messageOf(child.url, each)) ?? [];
  let sent = 0;
  const next = (): Buffer | undefined => (sent < calls ? messages[sent++ % messages.length] : undefined);
  await carryLoad({ url: child.url, connections: 16, next });
  await stores.caughtUp(withinMs);
  await stores.close();
  await child.stop();
  return (await bytesIn(join(dataDir, 'read-models'))) - before;
}

async function benchBeside(
  { say, targets }: Bench,
  dataDir: string,
  tokens: readonly string[],
): Promise<void> {
  const without = await callsBeside(dataDir, tokens, { term: 'all', untilMs: 20_000 });
  const beside = await callsBeside(dataDir, tokens, { term: terms.beside });
  for (const [at, what] of Object.keys(callsOf(tokens)).entries()) {
    const [plain = [], measured = []] = [without[at], beside[at]];
    const inWords = (times: readonly number[]): string =>
      `median ${quantile(times, 0.5).toFixed(0)}, p99 ${quantile(times, 0.99).toFixed(0)} ms of ${times.length}`;
    say(`${what}: ${inWords(plain)}, beside the removal ${inWords(measured)}`);
    const finding = { what: `${what} beside the removal: p99`, unit: 'ms', target };
    targets.note({ ...finding, measured: quantile(measured, 0.99) });
  }
}

/** What rows of calls take, and what their removal after their term costs, alone and beside calls. */
export async function benchKeptCalls(bench: Bench, calls: number): Promise<void> {
  const { parent, say } = bench;
  const dataDir = await mkdtemp(join(parent, 'kept-calls-'));
  const saySize = async (when: string): Promise<void> => {
    const { used, file } = await sizeOf(dataDir);
    const each = `${(used / calls).toFixed(0)} bytes of read models for each call`;
    say(`${when}: ${each}, ${(used / 1e6).toFixed(0)} MB used of ${(file / 1e6).toFixed(0)} MB`);
  };
  const since = (begun: number): string => `${((performance.now() - begun) / 1_000).toFixed(0)} s`;
  try {
    let begun = performance.now();
    await writeAgedCalls(dataDir, { companies, calls, days });
    const log = (await bytesIn(join(dataDir, 'event-log'))) / calls;
    say(`\n${calls} calls of ${days} days, written in ${since(begun)}: ${log.toFixed(0)} bytes of log each`);
    begun = performance.now();
    const tokens = await prepareDataDir(dataDir, companies);
    await serveAll(dataDir, tokens, 0);
    await saySize(`projected in ${since(begun)}`);
    const { stdout } = await run(process.execPath, [keeperProgram, dataDir, terms.alone]);
    const { removed, clock, processors } = JSON.parse(stdout) as Removal;
    const spent = `${(clock / 1_000).toFixed(1)} s, ${(processors / 1_000).toFixed(1)} s of the processors`;
    say(
      `${removed} removed after ${terms.alone} in ${spent}: ${((1_000 * processors) / removed).toFixed(0)} us each`,
    );
    await saySize('then');
    await benchBeside(bench, dataDir, tokens);
    await saySize(`after ${terms.beside}`);
    begun = performance.now();
    const env = { ...process.env, DATA_DIR: dataDir };
    await run(process.execPath, [rollcallCommand, 'audit', 'verify', '--keep-calls', terms.beside], {
      env,
    });
    say(`audit verify passes, in ${since(begun)}`);
    const more = Math.ceil(calls / 50);
    const grown = await serveAll(dataDir, tokens, more);
    say(`${more} more calls: the file grew by ${(grown / 1e6).toFixed(1)} MB`);
    await saySize('then');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
