import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChildServer, type ChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { postMany } from './http-client.js';
import { memoryOf, watchMemory, type Measured } from './memory.js';

const companyId = 1;
const unsyncedEntry = fileURLToPath(new URL('unsynced-entry.js', import.meta.url));

const survey = Buffer.from(
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
  }),
);

interface Subject {
  readonly server: ChildServer;
  readonly dataDir: string;
  readonly token: string;
}

async function start(parent: string, entry?: string): Promise<Subject> {
  const dataDir = await mkdtemp(join(parent, 'surveys-'));
  const [token = ''] = await prepareDataDir(dataDir, [companyId]);
  return {
    server: await startChildServer({ dataDir, ...(entry && { entry }) }),
    dataDir,
    token,
  };
}

async function end({ server, dataDir }: Subject): Promise<void> {
  await server.kill();
  await rm(dataDir, { recursive: true, force: true });
}

/** Milliseconds for each survey, in the mean over so many, and the memory above what the server held at rest. */
async function post(subject: Subject, connections: number, requests: number): Promise<Measured> {
  const { server, token } = subject;
  const idle = memoryOf(server.pid);
  const watched = watchMemory(server.pid);
  const took = await postMany({
    url: server.url,
    token,
    path: '/v1.0/survey',
    body: survey,
    connections,
    requests,
  });
  const peak = watched();
  return {
    milliseconds: took / requests,
    rss: peak.rss - idle.rss,
    anonymous: peak.anonymous - idle.anonymous,
  };
}

export interface SurveyTimes {
  readonly connections: number;
  /** One for each repetition. */
  readonly durable: readonly Measured[];
  readonly unsynced: readonly Measured[];
}

const loads = [
  { connections: 1, requests: 300 },
  { connections: 100, requests: 6000 },
];

/** Durable posts beside the same handler without the sync, in turns, so that both see the same machine. */
export async function measureSurveys(parent: string, repetitions: number): Promise<SurveyTimes[]> {
  const subjects = [await start(parent), await start(parent, unsyncedEntry)] as const;
  try {
    for (const subject of subjects) await post(subject, 100, 6000);
    const results: SurveyTimes[] = [];
    for (const { connections, requests } of loads) {
      const [durable, unsynced]: [Measured[], Measured[]] = [[], []];
      for (let repetition = 0; repetition < repetitions; repetition++) {
        durable.push(await post(subjects[0], connections, requests));
        unsynced.push(await post(subjects[1], connections, requests));
      }
      results.push({ connections, durable, unsynced });
    }
    return results;
  } finally {
    for (const subject of subjects) await end(subject);
  }
}
