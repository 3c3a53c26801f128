import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AdaptersConfig } from '@rollcall/adapters';
import tap from 'tap';
import { serverFor } from '../conformance/event-log.eventstoredb.support.js';
import { adapterEnvironment } from '../servers/adapter-environment.js';
import { startChild } from '../servers/child-process.js';
import { GrpcProxy } from '../servers/grpc-proxy.js';
import { prepareInstallation } from '../servers/prepared-data.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

tap.test('a start waits for a log whose connection breaks in the middle of it, and says so', async (t) => {
  const server = await serverFor(t);
  const proxy = await GrpcProxy.start(server.port);
  t.teardown(() => proxy.stop());
  const on = (port: number): AdaptersConfig => ({
    ...embeddedAdapters(join(t.testdirName, 'data')),
    eventLog: { kind: 'eventstoredb', connectionString: `esdb://127.0.0.1:${port}?tls=false` },
    streamPrefix,
  });
  const streamPrefix = `${randomUUID()}-`;
  t.testdir();
  const { dataDir } = on(0);
  await prepareInstallation(on(server.port), [1]);
  for (const part of ['projector', 'worker'] as const) {
    proxy.breakAtReads(2, 3, 5);
    const child = await startChild(part, { dataDir, env: adapterEnvironment(on(proxy.port)) });
    t.teardown(() => child.kill());
    t.equal(await child.stop(), 0, `the ${part} runs`);
    const { err } = await child.ended;
    t.match(err, /^EventStoreDB is not available: .*\. Waiting\.\n$/, 'one line');
  }
});
