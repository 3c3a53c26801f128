import tap from 'tap';
import { startChildParts } from '../servers/child-parts.js';
import { startChildServer } from '../servers/child-server.js';
import { putEmployees, standInInstallation } from '../servers/stand-in-installation.js';
import { until } from '../support/until.js';

tap.setTimeout(300_000);

const companyIds = [1, 2, 3, 4];
const { eventLog, dataDir, env, tokens } = await standInInstallation({ companyIds, args: ['--nodes', '3'] });

const put = (url: string, companyId: number, people: number) =>
  putEmployees(url, tokens[companyId - 1], people, { companyId });

tap.test('a call waits for the leader that is being elected', async (t) => {
  const parts = await startChildParts({ dataDir, env });
  t.teardown(() => parts.kill());
  const url = parts.apis[0]?.url ?? '';
  for (const companyId of companyIds) t.match(await put(url, companyId, 3), { status: 200 });
  for (const [node, electionMs] of [
    [1, 6_000],
    [2, 8_000],
  ] as const) {
    const electing = eventLog.order('lead', node, electionMs);
    const answers = await Promise.all(companyIds.map((companyId) => put(url, companyId, 3 + node)));
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    await electing;
  }
});

tap.test('a process that starts while a leader is elected waits for longer than a command', async (t) => {
  const electing = eventLog.order('lead', 0, 12_000);
  const server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  await electing;
  t.match(await put(server.url, 1, 9), { status: 200 });
});

tap.test('a log that answers but takes no append makes the api unavailable', async (t) => {
  const stalling = await standInInstallation({ args: ['--stalls'] });
  const server = await startChildServer({ dataDir: stalling.dataDir, env: stalling.env });
  t.teardown(() => server.kill());
  const [token] = stalling.tokens;
  const ready = async (): Promise<string> => (await fetch(`${server.url}/health/ready`)).text();
  await until('all is well', async () => (await ready()).includes('"Status":"ok"'));
  await stalling.eventLog.order('stall');
  const unanswered = putEmployees(server.url, token, 5);
  await until('it says so', async () => /"unavailable".*the event log takes no appends"/.test(await ready()));
  t.match(await ready(), /"unavailable"/, 'as long as it is so');
  await stalling.eventLog.order('go-on');
  await until('all is well again', async () => (await ready()).includes('"Status":"ok"'));
  await unanswered;
  t.match(await putEmployees(server.url, token, 6), { status: 200 });
});
