import { join } from 'node:path';
import tap from 'tap';
import { mongodbUrl, freshDatabase, skipWithoutMongodb } from '../conformance/read-models.mongodb.support.js';
import { startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { TcpProxy } from '../servers/tcp-proxy.js';
import { rollcallWithin } from './rollcall.js';

tap.test('an export whose log goes away says that it tries again, and goes on', async (t) => {
  const { server } = await startStandIn(t, { folder: t.testdir({ server: {}, data: {} }) });
  const proxy = await TcpProxy.start(server.port);
  t.teardown(() => proxy.stop());
  const dataDir = join(t.testdirName, 'data');
  const url = server.url.replace(String(server.port), String(proxy.port));
  const env = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: url };
  for (const company of [7, 8, 9]) {
    const words = `company configure --company ${company} --name ${'x'.repeat(100)}`;
    t.match(await rollcallWithin(dataDir, env)(words), { code: 0 });
  }
  const lines: string[] = [];
  const err = (line: string): void => {
    lines.push(line);
    proxy.setMode('pass');
  };
  const exported = (folder: string) =>
    rollcallWithin(dataDir, env, { err })(`audit export --all --out ${join(t.testdirName, folder)}`);
  const begun = proxy.received;
  t.match(await exported('whole'), { code: 0 });
  // In its last events, most of which are read by then.
  proxy.at(2 * proxy.received - begun - 400, () => proxy.setMode('refuse'));
  t.match(await exported('again'), { code: 0, out: /^5 events / });
  t.match(lines, { length: 1, 0: /^EventStoreDB is not available: .*\. Trying again\.\n$/ });
});

tap.test(
  'of two servers that are away, both are waited for only once',
  { skip: skipWithoutMongodb },
  async (t) => {
    const url = new URL(freshDatabase(t, await mongodbUrl()));
    const proxy = await TcpProxy.start(Number(url.port));
    t.teardown(() => proxy.stop());
    proxy.setMode('refuse');
    url.port = String(proxy.port);
    url.searchParams.set('directConnection', 'true');
    const env = {
      READ_MODELS: 'mongodb',
      MONGODB_URL: url.href,
      EVENT_LOG: 'eventstoredb',
      EVENTSTOREDB_URL: 'esdb://127.0.0.1:1?tls=false',
    };
    let ms = 0;
    const sleep = async (): Promise<void> => {
      ms += 9_000;
      proxy.setMode('pass');
    };
    const ran = await rollcallWithin(t.testdir(), env, { clock: { now: () => ms }, sleep })(
      'imports list --company 7',
    );
    t.match(ran, {
      code: 1,
      err: /^MongoDB .* Waiting for up to 10 s\.\nEventStoreDB .* Waiting for up to 10 s\./,
    });
    t.equal(ms, 18_000, 'the second wait has the rest of the first');
  },
);
