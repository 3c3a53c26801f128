import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { employeesBody } from '../generators/employees.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { parseFloor } from './floors.js';
import { call, hangUp } from './http-client.js';
import type { LoopDelay } from './loop-watch.js';
import { memoryOf, watchMemory, type MemoryPeak } from './memory.js';
import { processorTime } from './processor-time.js';
import type { Probe } from './probes.js';
import type { Shape } from './service.js';
import { SmallCallers } from './small-callers.js';
import { quantile, timesOf, type Times } from './times.js';
import { untilDone } from './until-done.js';
import { startWatched, type WatchedService } from './watched-service.js';

const small = 1;
/** The companies after the first: each takes one large import, its first load. */
const largeCompanies = 7;
const idleMs = 4_000;
const restMs = 5_000;
const pollMs = 20;

/** What small callers and the event loop saw in a time. Milliseconds. */
export interface Seen {
  readonly loop: LoopDelay;
  /** p99 of `GET ApiCalls`. */
  readonly get: number;
  /** p99 of a PUT of three employees of another company. */
  readonly put: number;
  readonly calls: number;
}

/** Memory of one process in bytes above what it held at rest: the most, and some seconds after the end. */
export interface ProcessMemory {
  readonly name: string;
  readonly atRest: MemoryPeak;
  readonly peak: MemoryPeak;
  readonly after: MemoryPeak;
}

export interface LargeImport {
  readonly shape: Shape;
  readonly size: number;
  readonly bodyBytes: number;
  readonly idle: Seen;
  readonly busy: Seen;
  readonly memory: readonly ProcessMemory[];
  /** From a call's first byte to its 202. */
  readonly accepted: Times;
  /** From the 202 until the row says 200 OK. */
  readonly done: Times;
  /** The same list carried out at once for a company of its own: from the call's first byte to its 200. */
  readonly direct: Times;
  /** The same call, from its first byte until its row says 200 OK. */
  readonly directRow: Times;
  /** P, measured between these calls: the machine may have other work, and not the same all the time. */
  readonly floor: Times;
  /** What each took of the processors until its row said 200 OK, and a queued one until its 202: other work on the machine changes little of that. */
  readonly processor: { readonly queued: Times; readonly direct: Times; readonly accepted: Times };
}

interface Bench {
  readonly service: WatchedService;
  readonly callers: SmallCallers;
  readonly tokens: readonly string[];
}

const employees = (companyId: number): string => `/v1.0/Company/${companyId}/Employee`;
const threeEmployees = [employeesBody(3), employeesBody(3, { onePercentChanged: true, seed: 2 })].map(String);

/** Lets small callers call while something goes on. */
async function beside<T>({ service, callers, tokens }: Bench, work: () => Promise<T>): Promise<[Seen, T]> {
  const token = tokens[small - 1] ?? '';
  const { url } = service;
  const probes: readonly Probe[] = [
    { url, calls: [{ method: 'GET', path: `/v1.0/Company/${small}/ApiCalls?Top=5`, token }] },
    {
      url,
      calls: threeEmployees.map((body) => ({ method: 'PUT', path: employees(small), token, body })),
    },
  ];
  await service.loopDelay();
  const [[gets = [], puts = []], result] = await callers.beside(probes, work);
  const loop = await service.loopDelay();
  const calls = gets.length + puts.length;
  return [{ loop, get: quantile(gets, 0.99), put: quantile(puts, 0.99), calls }, result];
}

interface Timed {
  /** From the first byte to the answer. */
  readonly answered: number;
  /** From the answer until the row says 200 OK. */
  readonly rest: number;
  /** Of the processors in all processes of the service, from the first byte until the row says 200 OK. */
  readonly processor: number;
  /** The same until the answer. */
  readonly toAnswer: number;
}

/** One PUT of a whole list, followed until it is done. */
async function put(bench: Bench, companyId: number, body: Buffer, status: 200 | 202): Promise<Timed> {
  const pids = bench.service.pids.map(([, pid]) => pid);
  const used = processorTime(pids);
  const answer = await call({
    url: bench.service.url + employees(companyId),
    token: bench.tokens[companyId - 1] ?? '',
    method: 'PUT',
    body,
    ...(status === 202 && { headers: { prefer: 'respond-async' } }),
  });
  const begun = performance.now();
  const toAnswer = processorTime(pids) - used;
  if (answer.status !== status) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  const { ApiOperationId: operationId } = JSON.parse(answer.text) as { ApiOperationId: string };
  const token = bench.tokens[companyId - 1] ?? '';
  await untilDone({ url: bench.service.url, token, companyId, operationId }, pollMs);
  const rest = performance.now() - begun;
  return { answered: answer.milliseconds, rest, processor: processorTime(pids) - used, toAnswer };
}

const minus = (one: MemoryPeak, other: MemoryPeak): MemoryPeak => ({
  rss: one.rss - other.rss,
  anonymous: one.anonymous - other.anonymous,
});

/** Memory and small callers beside one queued import. */
async function besideLarge(
  bench: Bench,
  body: Buffer,
): Promise<Pick<LargeImport, 'idle' | 'busy' | 'memory'>> {
  await beside(bench, () => wait(1_000));
  const [idle] = await beside(bench, () => wait(idleMs));
  const processes = bench.service.pids.map(([name, pid]) => ({ name, pid, atRest: memoryOf(pid) }));
  const watches = processes.map(({ pid }) => watchMemory(pid));
  const [busy] = await beside(bench, () => put(bench, 2, body, 202));
  const peaks = watches.map((watch) => watch());
  await wait(restMs);
  const memory = processes.map(({ name, pid, atRest }, i) => ({
    name,
    atRest,
    peak: minus(peaks[i] ?? atRest, atRest),
    after: minus(memoryOf(pid), atRest),
  }));
  return { idle, busy, memory };
}

/**
 * Queued and direct calls in turn, each the first load of a company of its own, on a warm service, with nobody beside: what
 * is compared is measured under the same conditions.
 */
async function inTurn(bench: Bench, body: Buffer) {
  const queued: Timed[] = [];
  const direct: Timed[] = [];
  const floors: number[] = [];
  for (let companyId = 3; companyId <= largeCompanies; companyId += 2) {
    floors.push(parseFloor(body, 1).minimum);
    direct.push(await put(bench, companyId, body, 200));
    floors.push(parseFloor(body, 1).minimum);
    queued.push(await put(bench, companyId + 1, body, 202));
  }
  return {
    accepted: timesOf(queued.map(({ answered }) => answered)),
    done: timesOf(queued.map(({ rest }) => rest)),
    direct: timesOf(direct.map(({ answered }) => answered)),
    directRow: timesOf(direct.map(({ answered, rest }) => answered + rest)),
    floor: timesOf(floors),
    processor: {
      queued: timesOf(queued.map(({ processor }) => processor)),
      direct: timesOf(direct.map(({ processor }) => processor)),
      accepted: timesOf(queued.map(({ toAnswer }) => toAnswer)),
    },
  };
}

/** One large import beside small callers, and some by themselves, on a service and a data folder of its own. */
export async function measureOtherCallers(parent: string, size: number, shape: Shape): Promise<LargeImport> {
  const dataDir = await mkdtemp(join(parent, 'others-'));
  const companies = Array.from({ length: largeCompanies + 1 }, (_, index) => index + 1);
  try {
    const tokens = await prepareDataDir(dataDir, companies);
    const service = await startWatched(shape, dataDir);
    const callers = await SmallCallers.start();
    try {
      const body = employeesBody(size);
      const bench = { service, callers, tokens };
      const noticed = await besideLarge(bench, body);
      return { shape, size, bodyBytes: body.length, ...noticed, ...(await inTurn(bench, body)) };
    } finally {
      callers.end();
      hangUp();
      await service.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
