import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { rollcallOn } from '../cli/rollcall.js';
import { startChildParts } from '../servers/child-parts.js';
import { startChildServer, type ChildServer } from '../servers/child-server.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

tap.setTimeout(600_000);

type Client = EventStoreDBClient;

interface Case {
  readonly what: string;
  readonly harm: (client: Client, stream: string) => Promise<unknown>;
  readonly problem: RegExp;
  /** Whether it can be taken back. */
  readonly isMended: boolean;
}

const NOTHING_SET = {};

const cases: readonly Case[] = [
  {
    what: '$maxCount',
    harm: (client, stream) => client.setStreamMetadata(stream, { maxCount: 1 }),
    problem: /events 0 to \d+ of company-1 are gone: metadata of the stream says \$maxCount 1/,
    isMended: true,
  },
  {
    what: '$tb',
    harm: (client, stream) => client.setStreamMetadata(stream, { truncateBefore: 2 }),
    problem: /events 0 to 1 of company-2 are gone: metadata of the stream says \$tb 2/,
    isMended: true,
  },
  {
    what: '$maxAge',
    harm: (client, stream) => client.setStreamMetadata(stream, { maxAge: 1 }),
    problem: /all events of company-3 are gone: metadata of the stream says \$maxAge 1/,
    isMended: true,
  },
  {
    what: 'a soft deletion',
    harm: (client, stream) => client.deleteStream(stream),
    problem: /the stream company-4 was deleted softly; set its metadata to \{\}, and again/,
    isMended: true,
  },
  {
    what: 'a tombstone',
    harm: (client, stream) => client.tombstoneStream(stream),
    problem: /the stream company-5 was deleted for good/,
    isMended: false,
  },
  {
    what: 'a foreign event',
    harm: (client, stream) => client.appendToStream(stream, jsonEvent({ type: '$note', data: {} })),
    problem: /event \d+ of company-6 has the foreign type \$note/,
    isMended: false,
  },
];
const WHOLE = cases.length + 1;
const LIMITED = WHOLE + 1;

const { eventLog, dataDir, env, tokens } = await standInInstallation({
  companyIds: Array.from({ length: LIMITED }, (_, n) => n + 1),
});
const client = EventStoreDBClient.connectionString(eventLog.url);
let service: Pick<ChildServer, 'url' | 'kill'> = await startParts();
tap.teardown(async () => {
  await service.kill();
  await client.dispose();
});

/** Nobody runs what is queued. */
async function startParts(): Promise<Pick<ChildServer, 'url' | 'kill'>> {
  const parts = await startChildParts({ dataDir, env, workers: 0 });
  return { url: parts.apis[0]?.url ?? '', kill: () => parts.kill() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function get(companyId: number, path = 'Employee'): Promise<Answer> {
  const headers = { authorization: `Bearer ${tokens[companyId - 1]}` };
  const answer = await fetch(`${service.url}/v1.0/Company/${companyId}/${path}`, { headers });
  return { status: answer.status, text: await answer.text() };
}

const put = (companyId: number, people: number, headers: Record<string, string> = {}): Promise<Answer> =>
  putEmployees(service.url, tokens[companyId - 1], people, { companyId, headers });

const ready = async (): Promise<Answer> => {
  const answer = await fetch(`${service.url}/health/ready`);
  return { status: answer.status, text: await answer.text() };
};

async function isNamed(t: Test, found: readonly Case[]): Promise<void> {
  await until('readiness names each stream', async () => {
    const { text } = await ready();
    return found.every(({ problem }) => problem.test(text));
  });
  t.match(await ready(), { status: 200, text: /"Status":"degraded"/ });
  for (const { what, problem } of found) {
    const companyId = cases.findIndex((one) => one.what === what) + 1;
    for (const path of ['Employee', 'Managers', 'ApiCalls', 'Limits'])
      t.match(await get(companyId, path), { status: 503, text: problem }, `${what}: GET ${path}`);
    t.match(await put(companyId, 9), { status: 503, text: problem }, `${what}: PUT`);
    const queued = await put(companyId, 9, { prefer: 'respond-async' });
    t.match(queued, { status: 503, text: problem }, `${what}: PUT to be queued`);
  }
  t.match(String((await put(WHOLE, 9)).status), /200|202/, 'another company');
  t.match(await get(WHOLE), { status: 200 });
  t.match(await get(LIMITED), { status: 200 }, 'where a limit has taken nothing');
  t.match(await put(LIMITED, 9), { status: 200 });
  t.match(await ready(), { text: /company-8: metadata of the stream says \$maxCount 1000/ });
}

const pendingOf = async (companyId: number): Promise<boolean> =>
  /"HttpStatusCode":202/.test((await get(companyId, 'ApiCalls')).text);

/** Their imports wait. */
const QUEUED = [1, 4, WHOLE];

tap.test('under running processes', async (t) => {
  for (let companyId = 1; companyId <= LIMITED; companyId++)
    for (const people of [3, 4]) t.match(await put(companyId, people), { status: 200 });
  for (const companyId of QUEUED)
    t.match(await put(companyId, 5, { prefer: 'respond-async' }), { status: 202 });
  await client.setStreamMetadata(`company-${LIMITED}`, { maxCount: 1000 });
  for (const [n, { harm }] of cases.entries()) await harm(client, `company-${n + 1}`);
  await isNamed(t, cases);
});

tap.test('at a start', async (t) => {
  await service.kill();
  service = await startChildServer({ dataDir, env });
  await until('the import of the company that is whole has run', async () => !(await pendingOf(WHOLE)));
  await isNamed(t, cases);
});

tap.test('the command line', async (t) => {
  const rollcall = rollcallOn(dataDir, env);
  t.match(await rollcall('audit verify'), { code: 1, err: /The log is broken at company-\d@0: / });
  t.match(await rollcall('company list'), { code: 0, out: new RegExp(`^ *${WHOLE} `, 'm') });
});

tap.test('what is taken back is whole again, by itself', async (t) => {
  for (const [n, { isMended }] of cases.entries())
    if (isMended)
      for (let time = 0; time < 2; time++) await client.setStreamMetadata(`company-${n + 1}`, NOTHING_SET);
  await until('their GETs answer', async () => (await get(4)).status === 200);
  await isNamed(
    t,
    cases.filter(({ isMended }) => !isMended),
  );
  // A look that fell between the two settings is shown until the next one.
  await until('readiness names none of them', async () => !/company-[1-4]/.test((await ready()).text));
  const imported = async (): Promise<boolean> => !(await pendingOf(1)) && !(await pendingOf(4));
  await until('the imports that waited have run', imported, { withinMs: 120_000 });
  for (const [n, { isMended, what }] of cases.entries())
    if (isMended) t.match(await put(n + 1, 7), { status: 200 }, what);
});
