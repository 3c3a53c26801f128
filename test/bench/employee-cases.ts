import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { employeesBody } from '../generators/employees.js';
import { startChildServer, type ChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { call, hangUp, type Answer } from './http-client.js';
import { memoryOf, watchMemory, type Measured, type Memory, type MemoryPeak } from './memory.js';

export const caseNames = [
  'first load',
  'same bytes',
  'other order and spacing',
  '1 % changed',
  'GET of all',
  'replay',
] as const;
export type CaseName = (typeof caseNames)[number];

export interface Bodies {
  readonly plain: Buffer;
  readonly shuffled: Buffer;
  readonly changed: Buffer;
}

export const bodiesOf = (size: number): Bodies => ({
  plain: employeesBody(size),
  shuffled: employeesBody(size, { shuffled: true }),
  changed: employeesBody(size, { onePercentChanged: true }),
});

/** Company 1 is measured; company 2 warms the server up. */
const measured = 1;
const warmUp = 2;
const warmUpBody = employeesBody(2000);
const restMs = 500;

/** A data folder with two companies, to be copied for each repetition, and their tokens. */
export interface Template {
  readonly folder: string;
  readonly tokens: readonly string[];
}

export async function makeTemplate(parent: string): Promise<Template> {
  const folder = await mkdtemp(join(parent, 'template-'));
  return { folder, tokens: await prepareDataDir(folder, [measured, warmUp]) };
}

const employees = (server: Pick<ChildServer, 'url'>, companyId: number): string =>
  `${server.url}/v1.0/Company/${companyId}/Employee`;

function expectCounts(answer: Answer, counts: { Inserted: number; Updated: number }): void {
  const result: unknown = answer.status === 200 ? JSON.parse(answer.text) : undefined;
  const expected = Object.entries({ ...counts, Removed: 0, WasQueued: false });
  if (expected.every(([name, value]) => Reflect.get(Object(result), name) === value)) return;
  throw new Error(`Answered ${answer.status}: ${answer.text.slice(0, 500)}`);
}

async function heat(server: Pick<ChildServer, 'url'>, token: string): Promise<void> {
  const url = employees(server, warmUp);
  for (const options of [{}, { onePercentChanged: true }, { shuffled: true }])
    await call({ url, token, method: 'PUT', body: employeesBody(2000, options) });
  await call({ url, token, method: 'PUT', body: warmUpBody });
  await call({ url, token, method: 'GET' });
  await rest(restMs);
}

const above = (peak: MemoryPeak, idle: Memory): Omit<Measured, 'milliseconds'> => ({
  rss: peak.rss - idle.rss,
  anonymous: peak.anonymous - idle.anonymous,
});

type Results = Record<CaseName, Measured>;

/** The cases that are calls, once, on a server that runs; company 1 is measured. */
export async function callCases(
  server: Pick<ChildServer, 'url' | 'pid'>,
  tokens: readonly string[],
  bodies: Bodies,
  size: number,
): Promise<Omit<Results, 'replay'>> {
  const [token = '', warmToken = ''] = tokens;
  await heat(server, warmToken);
  const idle = memoryOf(server.pid);
  const url = employees(server, measured);
  const one = async (body: Buffer | undefined, check: (answer: Answer) => void): Promise<Measured> => {
    const watched = watchMemory(server.pid);
    const answer = await call({ url, token, method: body ? 'PUT' : 'GET', ...(body && { body }) });
    const peak = watched();
    check(answer);
    await rest(restMs);
    return { milliseconds: answer.milliseconds, ...above(peak, idle) };
  };
  const put = (body: Buffer, counts: { Inserted: number; Updated: number }): Promise<Measured> =>
    one(body, (answer) => expectCounts(answer, counts));
  return {
    'first load': await put(bodies.plain, { Inserted: size, Updated: 0 }),
    'same bytes': await put(bodies.plain, { Inserted: 0, Updated: 0 }),
    'other order and spacing': await put(bodies.shuffled, { Inserted: 0, Updated: 0 }),
    '1 % changed': await put(bodies.changed, { Inserted: 0, Updated: Math.ceil((size - 50) / 100) }),
    'GET of all': await one(undefined, ({ status, bytes }) => {
      if (status !== 200 || bytes < bodies.plain.length)
        throw new Error(`GET answered ${status} with ${bytes} bytes`);
    }),
  };
}

async function replay(dataDir: string): Promise<Measured> {
  const entry = fileURLToPath(new URL('replay-entry.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [entry, dataDir]);
  return JSON.parse(stdout) as Measured;
}

/** Every case once, on a server and a data folder of its own. */
export async function measureOnce(
  template: Template,
  parent: string,
  bodies: Bodies,
  size: number,
): Promise<Results> {
  const dataDir = await mkdtemp(join(parent, 'data-'));
  try {
    await cp(template.folder, dataDir, { recursive: true });
    const server = await startChildServer({ dataDir });
    try {
      const answered = await callCases(server, template.tokens, bodies, size);
      hangUp();
      await server.stop();
      return { ...answered, replay: await replay(dataDir) };
    } finally {
      await server.kill();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
