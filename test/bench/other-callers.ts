import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ApiCall } from '@rollcall/contracts';
import { employeesBody } from '../generators/employees.js';
import { startChildServer, type ChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { call, hangUp } from './http-client.js';
import { memoryOf, watchMemory } from './memory.js';
import { loopDelay, percentile99, probe, type LoopDelay } from './probes.js';

const entry = fileURLToPath(new URL('./watched-entry.js', import.meta.url));
const [large, small, direct] = [1, 2, 3];
const idleMs = 4_000;
const restMs = 5_000;
const longestMs = 120_000;

/** What small callers and the event loop saw in a time. Milliseconds. */
export interface Seen {
  readonly loop: LoopDelay;
  /** p99 of `GET ApiCalls`. */
  readonly get: number;
  /** p99 of a PUT of three employees of another company. */
  readonly put: number;
  readonly calls: number;
}

export interface LargeImport {
  readonly size: number;
  readonly bodyBytes: number;
  readonly idle: Seen;
  readonly busy: Seen;
  /** Until the 202. */
  readonly accepted: number;
  /** From the 202's request until the row says 200 OK. */
  readonly done: number;
  /** The same list carried out at once for a company of its own. */
  readonly direct: number;
  /** Bytes above idle: the most, and some seconds after the end. */
  readonly peak: number;
  readonly after: number;
}

interface Server {
  readonly child: ChildServer;
  readonly dataDir: string;
  readonly tokens: readonly string[];
}

const employees = (companyId: number): string => `/v1.0/Company/${companyId}/Employee`;
const threeEmployees = [employeesBody(3), employeesBody(3, { onePercentChanged: true, seed: 2 })];

/** Lets small callers call while something goes on. */
async function beside<T>({ child, dataDir, tokens }: Server, work: () => Promise<T>): Promise<[Seen, T]> {
  const token = tokens[small - 1] ?? '';
  const stop = new AbortController();
  await loopDelay(dataDir);
  const get = probe(
    { url: `${child.url}/v1.0/Company/${small}/ApiCalls?Top=5`, token, method: 'GET' },
    stop.signal,
  );
  const put = probe(
    {
      url: child.url + employees(small),
      token,
      method: 'PUT',
      body: (count) => threeEmployees[count % 2] ?? Buffer.from('[]'),
    },
    stop.signal,
  );
  const result = await work();
  stop.abort();
  const [gets, puts] = await Promise.all([get, put]);
  const loop = await loopDelay(dataDir);
  return [
    { loop, get: percentile99(gets), put: percentile99(puts), calls: gets.length + puts.length },
    result,
  ];
}

async function untilDone({ child, tokens }: Server, operationId: string): Promise<void> {
  const url = `${child.url}/v1.0/Company/${large}/ApiCalls?ApiOperationId=${operationId}`;
  const headers = { authorization: `Bearer ${tokens[large - 1]}` };
  const deadline = performance.now() + longestMs;
  while (performance.now() < deadline) {
    const rows = (await (await fetch(url, { headers })).json()) as ApiCall[];
    if (rows[0]?.HttpStatusCode === 200) return;
    if (rows[0] && rows[0].HttpStatusCode >= 400) throw new Error(`The import failed: ${rows[0].Result}`);
    await wait(20);
  }
  throw new Error('The queued import did not end');
}

/** A PUT that is queued, followed until it is done. */
async function queuedPut(server: Server, body: Buffer): Promise<{ accepted: number; done: number }> {
  const { child, tokens } = server;
  const begun = performance.now();
  const answer = await call({
    url: child.url + employees(large),
    token: tokens[large - 1] ?? '',
    method: 'PUT',
    body,
    headers: { prefer: 'respond-async' },
  });
  if (answer.status !== 202) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  const { ApiOperationId } = JSON.parse(answer.text) as { ApiOperationId: string };
  await untilDone(server, ApiOperationId);
  return { accepted: answer.milliseconds, done: performance.now() - begun };
}

async function directPut({ child, tokens }: Server, body: Buffer): Promise<number> {
  const url = child.url + employees(direct);
  const answer = await call({ url, token: tokens[direct - 1] ?? '', method: 'PUT', body });
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text}`);
  return answer.milliseconds;
}

async function measure(server: Server, size: number): Promise<LargeImport> {
  const body = employeesBody(size);
  await beside(server, () => wait(1_000));
  const [idle] = await beside(server, () => wait(idleMs));
  const atRest = memoryOf(server.child.pid).rss;
  const watched = watchMemory(server.child.pid);
  const [busy, { accepted, done }] = await beside(server, () => queuedPut(server, body));
  const peak = watched().rss - atRest;
  await wait(restMs);
  const after = memoryOf(server.child.pid).rss - atRest;
  const directMs = await directPut(server, body);
  return { size, bodyBytes: body.length, idle, busy, accepted, done, direct: directMs, peak, after };
}

/** One large import beside small callers, on a server and a data folder of its own. */
export async function measureOtherCallers(parent: string, size: number): Promise<LargeImport> {
  const dataDir = await mkdtemp(join(parent, 'others-'));
  try {
    const tokens = await prepareDataDir(dataDir, [large, small, direct]);
    const child = await startChildServer({ dataDir, entry });
    try {
      return await measure({ child, dataDir, tokens }, size);
    } finally {
      hangUp();
      await child.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
