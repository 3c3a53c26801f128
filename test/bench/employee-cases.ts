import { cp, mkdtemp, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { employeesBody } from '../generators/employees.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import type { Bodies, Variant } from './bodies.js';
import { call, download, hangUp, type Answer } from './http-client.js';
import { memoryOf, watchMemory } from './memory.js';
import { processorTime, processorTimeAtRest } from './processor-time.js';
import { startService, type Service, type Shape } from './service.js';
import { untilDone } from './until-done.js';

/** What one case cost. Milliseconds, and bytes above what the answering process held before. */
export interface Cost {
  readonly clock: number;
  /** Until all that it changed can be read; NaN where that is nothing, or not looked at. */
  readonly readable: number;
  /** Of the processors, in all processes of the service, to the answer and until nothing is left to do. */
  readonly answered: number;
  readonly rested: number;
  readonly rss: number;
  readonly anonymous: number;
}

type Changes = 'all' | 'none' | '1 %';

export interface EmployeeCase {
  readonly name: string;
  readonly companyId: number;
  readonly variant: Variant;
  /** What a list brings; the others read it. */
  readonly changes?: Changes;
  readonly gzip?: boolean;
  /** The next case comes at once: what is left to do behind the answer is counted there. */
  readonly isFollowed?: boolean;
}

/** How often it is looked whether a call is done: each look costs half a millisecond, and what is read is late by so much at most. */
const lookMs = 25;

const ordinary = 1;
const warmUp = 2;
const wide = 3;
/** The companies that the cases need. */
export const caseCompanies = [ordinary, warmUp, wide];

/** In their order, because each finds what the one before has left. */
export const employeeCases: readonly EmployeeCase[] = [
  { name: 'first load', companyId: ordinary, variant: 'ordinary', changes: 'all' },
  { name: 'same bytes', companyId: ordinary, variant: 'ordinary', changes: 'none' },
  { name: 'other order and spacing', companyId: ordinary, variant: 'shuffled', changes: 'none' },
  { name: '1 % changed', companyId: ordinary, variant: 'ordinary, changed', changes: '1 %' },
  { name: '1 % changed, .NET-escaped', companyId: ordinary, variant: '.NET', changes: '1 %' },
  { name: '1 % changed, Python-escaped', companyId: ordinary, variant: 'Python, changed', changes: '1 %' },
  { name: '1 % changed, pretty-printed', companyId: ordinary, variant: 'pretty', changes: '1 %' },
  {
    name: '1 % changed, gzip',
    companyId: ordinary,
    variant: 'ordinary, changed',
    changes: '1 %',
    gzip: true,
  },
  { name: 'GET of all', companyId: ordinary, variant: 'ordinary' },
  { name: 'GET of all, again', companyId: ordinary, variant: 'ordinary' },
  {
    name: 'first load, non-ASCII addresses',
    companyId: wide,
    variant: 'wide',
    changes: 'all',
    isFollowed: true,
  },
  { name: 'same bytes right behind it', companyId: wide, variant: 'wide', changes: 'none' },
  { name: '1 % changed, non-ASCII addresses', companyId: wide, variant: 'wide, changed', changes: '1 %' },
];

export type Costs = ReadonlyMap<string, Cost>;

const employees = ({ url }: Service, companyId: number): string =>
  `${url}/v1.0/Company/${companyId}/Employee`;

const onePercentOf = (size: number): number => Math.ceil((size - 50) / 100);

function expectCounts(answer: Answer, changes: Changes, size: number): void {
  const Inserted = changes === 'all' ? size : 0;
  const Updated = changes === '1 %' ? onePercentOf(size) : 0;
  const result: unknown = answer.status === 200 ? JSON.parse(answer.text) : undefined;
  const expected = Object.entries({ Inserted, Updated, Removed: 0, WasQueued: false });
  if (expected.every(([name, value]) => Reflect.get(Object(result), name) === value)) return;
  throw new Error(`Answered ${answer.status}: ${answer.text.slice(0, 500)}`);
}

/** The processes have done everything once. */
async function heat(service: Service, token: string): Promise<void> {
  const url = employees(service, warmUp);
  for (const options of [
    {},
    { onePercentChanged: true },
    { shuffled: true },
    { spelling: '.NET' as const },
    {},
  ])
    await call({ url, token, method: 'PUT', body: employeesBody(2000, options) });
  await call({ url, token, method: 'GET' });
  await processorTimeAtRest(service.pids);
}

/** A case with what it sends, made before the service is looked at. */
interface Prepared {
  readonly one: EmployeeCase;
  readonly size: number;
  /** Bytes of JSON. */
  readonly length: number;
  readonly body: Buffer | undefined;
}

function prepare(one: EmployeeCase, bodies: Bodies): Prepared {
  const { variant, gzip, changes } = one;
  const body = gzip ? bodies.compressed(variant) : bodies.bytes(variant);
  return {
    one,
    size: bodies.size,
    length: bodies.lengthOf(variant),
    body: changes === undefined ? undefined : body,
  };
}

async function send(service: Service, token: string, prepared: Prepared): Promise<Answer> {
  const { one, size, length, body } = prepared;
  const url = employees(service, one.companyId);
  if (one.changes === undefined || body === undefined) {
    const answer = await download({ url, token });
    if (answer.status === 200 && answer.bytes >= length) return answer;
    throw new Error(`GET answered ${answer.status} with ${answer.bytes} bytes`);
  }
  const headers = one.gzip ? { 'content-encoding': 'gzip' } : {};
  const answer = await call({ url, token, method: 'PUT', body, headers });
  expectCounts(answer, one.changes, size);
  return answer;
}

/** Waits until everything that the call changed can be read. */
async function untilReadable(
  { url }: Service,
  token: string,
  { companyId }: EmployeeCase,
  { text }: Answer,
): Promise<void> {
  const { ApiOperationId: operationId } = JSON.parse(text) as { ApiOperationId: string };
  await untilDone({ url, token, companyId, operationId }, lookMs);
}

async function costOf(service: Service, token: string, one: EmployeeCase, bodies: Bodies): Promise<Cost> {
  const { pid, pids } = service;
  const prepared = prepare(one, bodies);
  const idle = memoryOf(pid);
  const watched = watchMemory(pid);
  const before = processorTime(pids);
  const begun = performance.now();
  const answer = await send(service, token, prepared);
  const answered = processorTime(pids) - before;
  const isWatched = one.changes !== undefined && !one.isFollowed;
  if (isWatched) await untilReadable(service, token, one, answer);
  const readable = isWatched ? performance.now() - begun : NaN;
  const rested = one.isFollowed ? NaN : (await processorTimeAtRest(pids)) - before;
  const peak = watched();
  return {
    clock: answer.milliseconds,
    readable,
    answered,
    rested,
    rss: peak.rss - idle.rss,
    anonymous: peak.anonymous - idle.anonymous,
  };
}

/** Sends one of the lists to the company of the first case, and waits until the service is at rest behind it. */
export async function changeOnce(
  service: Service,
  { tokens: [token = ''] }: Template,
  bodies: Bodies,
  variant: Variant,
): Promise<void> {
  const url = employees(service, ordinary);
  const answer = await call({ url, token, method: 'PUT', body: bodies.bytes(variant) });
  if (answer.status !== 200) throw new Error(`Answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  await untilReadable(service, token, { name: variant, companyId: ordinary, variant }, answer);
  await processorTimeAtRest(service.pids);
}

/** The cases that are calls, once, on a service that runs; a token for each of `caseCompanies`. */
export async function callCases(
  service: Service,
  tokens: readonly string[],
  bodies: Bodies,
): Promise<Map<string, Cost>> {
  const tokenOf = (companyId: number): string => tokens[caseCompanies.indexOf(companyId)] ?? '';
  await heat(service, tokenOf(warmUp));
  const costs = new Map<string, Cost>();
  for (const each of employeeCases)
    costs.set(each.name, await costOf(service, tokenOf(each.companyId), each, bodies));
  hangUp();
  return costs;
}

/** The log of this data folder into empty read models, in a process of its own. */
async function replay(dataDir: string): Promise<Cost> {
  const entry = fileURLToPath(new URL('replay-entry.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [entry, dataDir]);
  return JSON.parse(stdout) as Cost;
}

/** A data folder with the companies, to be copied for each repetition, and their tokens. */
export interface Template {
  readonly folder: string;
  readonly tokens: readonly string[];
}

export async function makeTemplate(parent: string): Promise<Template> {
  const folder = await mkdtemp(join(parent, 'template-'));
  return { folder, tokens: await prepareDataDir(folder, caseCompanies) };
}

/** Every case once, on a service and a data folder of its own; the log is replayed where the service was one process. */
export async function measureOnce(
  template: Template,
  parent: string,
  bodies: Bodies,
  shape: Shape,
): Promise<Costs> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  try {
    await cp(template.folder, dataDir, { recursive: true });
    const service = await startService(shape, dataDir);
    try {
      const costs = await callCases(service, template.tokens, bodies);
      await service.stop();
      return shape === 'apart' ? costs : costs.set('replay', await replay(dataDir));
    } finally {
      hangUp();
      await service.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
