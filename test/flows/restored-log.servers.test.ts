import { embeddedAdapters } from '@rollcall/adapters';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap from 'tap';
import { rollcallOn } from '../cli/rollcall.js';
import { generatedEmployees } from '../generators/employees.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { startChildServer } from '../servers/child-server.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { until } from '../support/until.js';

const folder = await mkdtemp(join(tmpdir(), 'rollcall-'));
const eventLog = await EventStoreDbServer.start();
const config = {
  ...embeddedAdapters(join(folder, 'data')),
  eventLog: { kind: 'eventstoredb', connectionString: eventLog.url },
} as const;
const { dataDir } = config;
const env = { ...adapterEnvironment(config), LOG_LEVEL: 'silent' };
const [token = ''] = await prepareInstallation(config, [7]);
const service = await startChildServer({ dataDir, env });
tap.teardown(async () => {
  await service.kill();
  await eventLog.stop();
  await rm(folder, { recursive: true, force: true });
});

async function put(people: number): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${service.url}/v1.0/Company/7/Employee`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(generatedEmployees(people)),
  });
  return { status: answer.status, text: await answer.text() };
}

const isReady = async (): Promise<boolean> => (await fetch(`${service.url}/health/ready`)).status === 200;

tap.test(
  'a company at the same revision in a restored log is another one, which nobody appends to from memory',
  async (t) => {
    t.equal((await put(3)).status, 200);
    await eventLog.backUp(join(folder, 'copy'));
    await until('it is ready', isReady);
    t.equal((await put(4)).status, 200);
    await eventLog.restore(join(folder, 'copy'));
    const rollcall = rollcallOn(dataDir, env);
    const name = 'x'.repeat(90);
    t.match(await rollcall(['company', 'configure', '--company', '7', '--name', name]), { code: 0 });
    const lost = /the event log does not hold .* that this process has seen.*: restart this process/;
    let answer = await put(5);
    await until('the log is reached again', async () => {
      answer = await put(5);
      return answer.status !== 503 || lost.test(answer.text);
    });
    t.match(answer, { status: 503, text: lost });
    for (let n = 0; n < 2; n++) {
      const ready = await fetch(`${service.url}/health/ready`);
      t.match({ status: ready.status, text: await ready.text() }, { status: 503, text: lost });
    }
    t.match(await rollcall('audit log --company 7 --json'), { code: 0 });
    t.notMatch((await rollcall('audit verify')).err, /The log is broken/, 'its chain is whole');
  },
);
