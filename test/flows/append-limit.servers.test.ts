import { embeddedAdapters } from '@rollcall/adapters';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap from 'tap';
import { generatedEmployees } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { until } from '../support/until.js';

const eventLog = await EventStoreDbServer.start();
const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-'));
const config = {
  ...embeddedAdapters(dataDir),
  eventLog: { kind: 'eventstoredb', connectionString: eventLog.url },
} as const;
const env = adapterEnvironment(config);
const [token = ''] = await prepareInstallation(config, [7]);
tap.teardown(async () => {
  await eventLog.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const MIB = 1_048_576;
const problem = 'EventStoreDB takes less than 1 MiB in one append: set its MaxAppendSize to 1048576';

async function ready(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/health/ready`);
  const { Status, Problems } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, Status, Problems };
}

async function put(url: string, people: number): Promise<number> {
  const answer = await fetch(`${url}/v1.0/Company/7/Employee`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(generatedEmployees(people)),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const limited = { status: 503, Status: 'unavailable', Problems: [problem] };
const whole = { status: 200, Status: 'ok', Problems: [] };

tap.test('a server that takes less in an append, from its first refusal until it takes it', async (t) => {
  const server = await startChildServer({ dataDir, env: { ...env, LOG_LEVEL: 'silent' } });
  t.teardown(() => server.stop());
  const { url } = server;
  t.equal(await put(url, 10), 200);
  await eventLog.order('max-append-size', 100_000);
  t.equal(await put(url, 20), 200, 'what is small goes on');
  t.equal(await put(url, 4_000), 503);
  for (let n = 0; n < 3; n++) t.strictSame(await ready(url), limited);
  t.equal(await put(url, 21), 200);
  t.strictSame(await ready(url), limited, 'a smaller one says nothing of it');
  await eventLog.order('max-append-size', MIB);
  t.strictSame(await ready(url), whole);
  t.equal(await put(url, 4_000), 200);
});

tap.test('at a start, before anything was refused', async (t) => {
  await eventLog.order('max-append-size', MIB - 1);
  const child = new ChildProcess({
    dataDir,
    entry: entryOf('standalone'),
    env: { ...env, LOG_LEVEL: 'silent' },
  });
  t.teardown(() => child.kill());
  const url = await child.says(/https?:\/\/[\d.]+:\d+/);
  await until('it says so', async () => JSON.stringify(await ready(url)) === JSON.stringify(limited));
  await eventLog.order('max-append-size', MIB);
  await until('it is ready', async () => JSON.stringify(await ready(url)) === JSON.stringify(whole));
});
