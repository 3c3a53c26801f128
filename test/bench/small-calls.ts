import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { employeesBody } from '../generators/employees.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { carryLoad, messageOf, type SmallCall } from './load-client.js';
import { processorTime, processorTimeAtRest } from './processor-time.js';
import { quantile } from './times.js';

const companies = 100;
const unsyncedEntry = fileURLToPath(new URL('unsynced-entry.js', import.meta.url));

/** What a load came to. */
export interface LoadCost {
  readonly perSecond: number;
  /** Milliseconds of one call. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the service's processors for each call, with what follows its answer. */
  readonly processors: number;
}

/** All repetitions of one kind of call over so many connections. */
export interface LoadResult {
  readonly name: SmallCallName;
  readonly connections: number;
  readonly runs: readonly LoadCost[];
}

const surveyOf = (companyId: number): string =>
  JSON.stringify({
    Name: 'Autumn pulse',
    CompanyId: companyId,
    Start: '2026-05-01T02:00:00Z',
    End: '2026-06-01T02:00:00Z',
    State: 2,
    Questions: [
      { Type: 1, Texts: { 1045: 'Welcome to our autumn pulse.' } },
      { Type: 3, Texts: { 1045: 'What would make your week better?' } },
      { Type: 99, Texts: { 1045: 'Thank you for your time.' } },
    ],
  });

const threeEmployees = employeesBody(3).toString();
const putThree = (token: string, index: number): SmallCall => ({
  method: 'PUT',
  path: `/v1.0/Company/${index + 1}/Employee`,
  token,
  body: threeEmployees,
});

/** What a caller sends, in turn; the token of each company, from company 1 on. */
const smallCalls = {
  'PUT of 3 to one company': ([token = '']) => [putThree(token, 0)],
  'PUT of 3 to 100 companies': (tokens) => tokens.map(putThree),
  'survey POST': ([token = '']) => [{ method: 'POST', path: '/v1.0/survey', token, body: surveyOf(1) }],
  'survey POST, no sync': ([token = '']) => [
    { method: 'POST', path: '/v1.0/survey', token, body: surveyOf(1) },
  ],
  'GET ApiCalls (10)': ([token = '']) => [{ method: 'GET', path: '/v1.0/Company/1/ApiCalls?Top=10', token }],
  'GET health/live': () => [{ method: 'GET', path: '/health/live' }],
} satisfies Record<string, (tokens: readonly string[]) => SmallCall[]>;
export type SmallCallName = keyof typeof smallCalls;

interface Subject {
  readonly url: string;
  readonly pid: number;
  readonly tokens: readonly string[];
  end(): Promise<void>;
}

async function start(parent: string, entry?: string): Promise<Subject> {
  const dataDir = await mkdtemp(join(parent, 'small-'));
  const ids = Array.from({ length: companies }, (_, index) => index + 1);
  const tokens = await prepareDataDir(dataDir, ids);
  const child = await startChildServer({ dataDir, ...(entry && { entry }) });
  const { url, pid } = child;
  const end = async (): Promise<void> => {
    await child.kill();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url, pid, tokens, end };
}

async function load(
  { url, pid, tokens }: Subject,
  name: SmallCallName,
  connections: number,
  seconds: number,
): Promise<LoadCost> {
  const messages = smallCalls[name](tokens).map((each) => messageOf(url, each));
  // At rest since it was started, or since the load before.
  const before = processorTime([pid]);
  const until = performance.now() + seconds * 1_000;
  let count = 0;
  const next = (): Buffer | undefined =>
    performance.now() < until ? messages[count++ % messages.length] : undefined;
  const { times, took } = await carryLoad({ url, connections, next });
  const spent = (await processorTimeAtRest([pid])) - before;
  return {
    perSecond: times.length / (took / 1_000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    processors: spent / times.length,
  };
}

export interface SmallCallOptions {
  readonly connections: readonly number[];
  readonly repetitions: number;
  /** How long each load goes on. */
  readonly seconds: number;
  readonly surveys: boolean;
}

const isOfSurveys = (name: SmallCallName): boolean => name.startsWith('survey');

/** Every kind of small call on `npm start`, one load after the other; surveys also on a service that syncs nothing. */
export async function measureSmallCalls(parent: string, options: SmallCallOptions): Promise<LoadResult[]> {
  const { connections, repetitions, seconds, surveys } = options;
  const synced = await start(parent);
  const unsynced = surveys ? await start(parent, unsyncedEntry) : undefined;
  const names = (Object.keys(smallCalls) as SmallCallName[]).filter((name) => surveys || !isOfSurveys(name));
  const subjectOf = (name: SmallCallName): Subject =>
    name === 'survey POST, no sync' && unsynced ? unsynced : synced;
  try {
    for (const name of names) await load(subjectOf(name), name, 16, seconds);
    const results: LoadResult[] = [];
    const loads = names.flatMap((name) => connections.map((each) => ({ name, connections: each })));
    for (const { name, connections: each } of loads) {
      const runs: LoadCost[] = [];
      while (runs.length < repetitions) runs.push(await load(subjectOf(name), name, each, seconds));
      results.push({ name, connections: each, runs });
    }
    return results;
  } finally {
    await synced.end();
    await unsynced?.end();
  }
}
