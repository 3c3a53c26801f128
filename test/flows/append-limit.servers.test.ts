import tap from 'tap';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import { startChildServer } from '../servers/child-server.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

const { eventLog, dataDir, env, tokens } = await standInInstallation();

const MIB = 1_048_576;
const problem = 'EventStoreDB takes less than 1 MiB in one append: set its MaxAppendSize to 1048576';

async function ready(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/health/ready`);
  const { Status, Problems } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, Status, Problems };
}

const put = async (url: string, people: number): Promise<number> =>
  (await putEmployees(url, tokens[0], people)).status;

const limited = { status: 503, Status: 'unavailable', Problems: [problem] };
const whole = { status: 200, Status: 'ok', Problems: [] };

tap.test('a server that takes less in an append, from its first refusal until it takes it', async (t) => {
  const server = await startChildServer({ dataDir, env });
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
  await until('it is taken', async () => JSON.stringify(await ready(url)) === JSON.stringify(whole));
  t.equal(await put(url, 4_000), 200);
});

tap.test('at a start, before anything was refused', async (t) => {
  await eventLog.order('max-append-size', MIB - 1);
  const child = new ChildProcess({
    dataDir,
    entry: entryOf('standalone'),
    env,
  });
  t.teardown(() => child.kill());
  const url = await child.says(/https?:\/\/[\d.]+:\d+/);
  await until('it says so', async () => JSON.stringify(await ready(url)) === JSON.stringify(limited));
  await eventLog.order('max-append-size', MIB);
  await until('it is ready', async () => JSON.stringify(await ready(url)) === JSON.stringify(whole));
});
