import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import tap from 'tap';
import { EventStoreDbServer } from './eventstoredb-server.js';
import { collect, event, failing } from './eventstoredb-stand-in.support.js';
import { tlsFile, tlsOf } from './tls-files.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The scripts of docs/eventstoredb.md, in their order. */
async function scripts(): Promise<string[]> {
  const page = await readFile(`${root}docs/eventstoredb.md`, 'utf8');
  return [...page.matchAll(/^node --input-type=module <<'EOF'\n(.+?)^EOF$/gms)].map(
    ([, script]) => script ?? '',
  );
}

tap.test(
  'the scripts of the operators’ page give the rights that are needed, and take all others',
  async (t) => {
    const [give = '', shut = '', ...more] = await scripts();
    t.same(more, []);
    const users = ['rollcall-a:a', 'rollcall-b:b', 'other:o'].flatMap((user) => ['--user', user]);
    const server = await EventStoreDbServer.start({
      folder: t.testdir(),
      args: ['--admin', 'admin:secret', ...users, ...tlsOf('issued')],
    });
    t.teardown(() => server.stop());
    const url = (user: string): string =>
      `esdb://${user}@127.0.0.1:${server.port}?tlsCAFile=${encodeURIComponent(tlsFile('issued-ca.crt'))}`;
    const run = (script: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: root,
        env: { ...process.env, ADMIN: url('admin:secret') },
      });
    const as = (user: string): EventStoreDBClient => {
      const client = EventStoreDBClient.connectionString(url(user));
      t.teardown(() => client.dispose());
      return client;
    };
    const [a, b, other] = [as('rollcall-a:a'), as('rollcall-b:b'), as('other:o')];
    const denied = { type: 'access-denied' };

    t.match(await failing(a.readAll()), denied);
    await run(give);
    for (const client of [a, b]) t.ok((await collect(client.readAll())).length > 0);
    t.match(await failing(other.readAll()), denied);
    await other.appendToStream('company-1', event());

    await run(shut);
    t.match(await failing(other.appendToStream('company-1', event())), denied);
    t.match(await failing(other.readStream('company-1')), denied);
    t.match(await failing(other.tombstoneStream('company-1')), denied);
    await a.appendToStream('company-1', event());
    t.equal((await collect(b.readStream('company-1'))).length, 2);
    t.ok((await collect(b.readAll())).length > 0);
    await b.tombstoneStream('company-1');
  },
);
