import { EventStoreDBClient } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { rollcallWithin } from '../cli/rollcall.js';
import { startChildParts } from '../servers/child-parts.js';
import { ChildProcess, entryOf } from '../servers/child-process.js';
import type { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { freePort } from '../servers/free-port.js';
import { standInInstallation } from '../servers/stand-in-installation.js';
import { tlsFile, tlsOf } from '../servers/tls-files.js';
import { until } from '../support/until.js';

tap.setTimeout(300_000);

const CA = encodeURIComponent(tlsFile('issued-ca.crt'));
const as = (user: string, port: number): string => `esdb://${user}@127.0.0.1:${port}?tlsCAFile=${CA}`;

/** With the one right that a user of Rollcall needs. */
async function through({ port }: EventStoreDbServer): Promise<string> {
  const admin = EventStoreDBClient.connectionString(as('admin:secret', port));
  await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'rollcall'] } });
  await admin.dispose();
  return as('rollcall:secret', port);
}

const users = ['--admin', 'admin:secret', '--user', 'rollcall:secret'];
const { eventLog, dataDir, env } = await standInInstallation({
  args: [...users, ...tlsOf('issued')],
  through,
});
const logging = { ...env, LOG_LEVEL: 'info' };
const admin = EventStoreDBClient.connectionString(as('admin:secret', eventLog.port));
tap.teardown(() => admin.dispose());

const readiness = async (url: string | undefined): Promise<string> =>
  (await fetch(`${url}/health/ready`)).text();

tap.test('a right that is missing is named by every process, in its health and in its log', async (t) => {
  const parts = await startChildParts({ dataDir, env: logging });
  t.teardown(() => parts.kill());
  const { apis, projectors, workers } = parts;
  const urls = [...apis.map(({ url }) => url), ...[...projectors, ...workers].map((one) => one.metricsUrl)];
  const areReady = async (what: RegExp): Promise<boolean> =>
    (await Promise.all(urls.map(readiness))).every((text) => what.test(text));
  await until('all is well', () => areReady(/"Status":"ok"/));

  await admin.setStreamMetadata('company-7', { acl: { writeRoles: ['$admins'] } });
  const closed = /company-7: EventStoreDB refuses this user: a right is missing.* give it \$r and \$w/;
  await until('the stream is named', () => areReady(closed));
  for (const one of [...projectors, ...workers]) await one.says(closed);
  await admin.setStreamMetadata('company-7', {});
  await until('it is mended', () => areReady(/"Status":"ok"/));

  await eventLog.order('password', 'rollcall', 'changed');
  const refused = /the event log cannot be read: EventStoreDB refuses this user: the name or the password/;
  await until('the password is named', () => areReady(refused));
  for (const one of [...projectors, ...workers])
    await one.says(/"problem":"EventStoreDB refuses this user: the name/);
  await eventLog.order('password', 'rollcall', 'secret');
  await until('all go on', () => areReady(/"Status":"ok"/));
});

tap.test('a process that is refused at its start waits, and ends when it is told to', async (t) => {
  await eventLog.order('password', 'rollcall', 'changed');
  const start = (): ChildProcess => {
    const child = new ChildProcess({ dataDir, entry: entryOf('projector'), env });
    t.teardown(() => child.kill());
    return child;
  };
  const [waits, ends] = [start(), start()];
  const waiting = /^EventStoreDB refuses this user: the name or the password .* Waiting\.\n$/;
  for (const child of [waits, ends]) await until('it says why', () => waiting.test(child.errors));
  t.equal(await ends.stop(), 0);
  await eventLog.order('password', 'rollcall', 'secret');
  await waits.says(/ runs\n/);
});

tap.test(
  'a process without TLS before a server with it names the setting, at its start and in its health',
  async (t) => {
    const EVENTSTOREDB_URL = `esdb://127.0.0.1:${eventLog.port}?tls=false`;
    const METRICS_PORT = String(await freePort());
    for (const part of ['api', 'projector', 'worker'] as const) {
      const child = new ChildProcess({
        dataDir,
        entry: entryOf(part),
        env: { ...env, EVENTSTOREDB_URL, METRICS_PORT },
      });
      t.teardown(() => child.kill());
      const names = /EventStoreDB answers TLS only: take tls=false out of the connection string/;
      await until('it says why', () => names.test(child.errors));
      t.match(child.errors, /^EventStoreDB answers TLS only.* Waiting\.\n$/, part);
      t.match(await readiness(`http://127.0.0.1:${METRICS_PORT}`), names, part);
      t.equal(await child.stop(), 0);
    }
  },
);

tap.test('doctor says what to mend', async (t) => {
  const { port } = eventLog;
  const examined = (EVENTSTOREDB_URL: string) =>
    rollcallWithin(dataDir, { ...env, EVENTSTOREDB_URL })('doctor');
  const says = async (t: Test, url: string, what: RegExp): Promise<void> => {
    const { out } = await examined(url);
    t.match(out, what);
    t.notMatch(out, /Start the server/);
  };
  const right = as('rollcall:secret', port);
  t.match((await examined(right)).out, /ok +event log/);
  await says(
    t,
    as('rollcall:wrong', port),
    /RED +event log +EventStoreDB refuses this user: the name or the password/,
  );
  const otherCa = right.replace(CA, encodeURIComponent(tlsFile('server.crt')));
  await says(t, otherCa, /RED +event log +EventStoreDB cannot be reached over TLS: .*certificate/);
  await says(
    t,
    `esdb://127.0.0.1:${port}?tls=false`,
    /RED +event log +EventStoreDB answers TLS only: take tls=false out/,
  );
  await eventLog.order('max-append-size', 262_144);
  await says(
    t,
    right,
    /RED +event log +EventStoreDB takes less than 1 MiB in one append: set its MaxAppendSize/,
  );
});
