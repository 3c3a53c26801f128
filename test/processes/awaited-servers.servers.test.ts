import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import tap, { type Test } from 'tap';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import type { BinaryServer } from '../servers/binary-server.js';
import { ChildProcess, entryOf, running, type Part } from '../servers/child-process.js';
import { MongodbServer } from '../servers/mongodb-server.js';
import { NatsServer } from '../servers/nats-server.js';
import { skipWithoutServers as skip } from '../servers/three-servers.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** Starts the part without the server: it waits, says so, is alive and not ready; it goes on when the server is there. */
async function waitsFor(
  t: Test,
  server: BinaryServer,
  { part, config, why }: { readonly part: Part; readonly config: AdaptersConfig; readonly why: string },
): Promise<void> {
  await server.kill();
  const env = { ...adapterEnvironment(config), METRICS_PORT: '0' };
  const child = new ChildProcess({ dataDir: config.dataDir, entry: entryOf(part), env });
  t.teardown(() => child.kill());
  await child.says(/Metrics are on .*\n/);
  await until('it says why', () => child.errors.includes(why));
  t.match(child.errors, /^[^\n]+\. Waiting\.\n$/, 'one line');
  const health = (name: string): Promise<Response> => fetch(`${child.metricsUrl}/health/${name}`);
  t.equal((await health('live')).status, 200, 'nobody ends it for that');
  const ready = async (): Promise<string> => {
    const answer = await health('ready');
    return `${answer.status} ${await answer.text()}`;
  };
  await until('readiness names it', async () => (await ready()).includes(`is starting: ${why}`));
  t.match(await ready(), /^503 .*"unavailable"/);
  t.notMatch(child.out, running[part]);
  await server.start();
  await child.says(running[part]);
  await until('readiness is about its work', async () => !(await ready()).includes('is starting'));
  t.equal(await child.stop(), 0);
}

tap.test('a first start without MongoDB waits for it', { skip }, async (t) => {
  const server = await MongodbServer.start();
  t.teardown(() => server.stop());
  const parent = t.testdir();
  for (const part of ['api', 'projector', 'worker', 'standalone'] as const)
    await t.test(part, async (t) => {
      const readModels = { kind: 'mongodb', url: `${server.url}/${part}?directConnection=true` } as const;
      const config = { ...embeddedAdapters(join(parent, part)), readModels };
      await waitsFor(t, server, { part, config, why: 'MongoDB cannot be used: ' });
    });
});

tap.test('the first start of a worker, on an empty log, waits for NATS', { skip }, async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const queue = { kind: 'nats', url: server.url, replicas: 1 } as const;
  const config = { ...embeddedAdapters(t.testdir()), queue };
  await waitsFor(t, server, { part: 'worker', config, why: 'NATS ' });
});
