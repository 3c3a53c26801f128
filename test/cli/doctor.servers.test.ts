import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import tap from 'tap';
import { oldServer } from '../conformance/read-models.mongodb-old.js';
import { EventStoreDbServer } from '../servers/eventstoredb-server.js';
import { neighbours } from '../servers/eventstoredb-stand-in.support.js';
import { startThreeServers, skipWithoutServers } from '../servers/three-servers.js';
import { until } from '../support/until.js';
import { begun, examined, redOf } from './doctor.support.js';
import { rollcallWithin } from './rollcall.js';

tap.test('each server away in turn', { skip: skipWithoutServers }, async (t) => {
  const servers = await startThreeServers();
  t.teardown(() => servers.stop());
  const { eventLog, readModels, queue, urls } = servers;
  const env = { EVENT_LOG: 'eventstoredb', READ_MODELS: 'mongodb', QUEUE: 'nats', ...urls };
  const rollcall = rollcallWithin(t.testdir(), env);
  await begun(rollcall);

  const isWell = async (): Promise<boolean> => (await examined(rollcall)).code === 0;
  const well = await examined(rollcall);
  t.strictSame(redOf(well.lines), [], well.out);
  const textOf = (name: string): string => well.lines.find((line) => line.name === name)?.text ?? '';
  t.match(textOf('event log'), /^EventStoreDB 23\.10\.8 answers/);
  t.match(textOf('read models'), /^MongoDB \d+\.\d+/);
  t.match(textOf('queue'), /^nats-server 2\.\d+/);
  t.match(textOf('clocks'), /server of the read models/);

  const away = async (name: string, variable: string): Promise<void> => {
    const { code, lines } = await examined(rollcall);
    t.equal(code, 1, `${name} is away`);
    t.strictSame(redOf(lines), [name]);
    t.match(
      lines.find((line) => line.name === name)?.advice,
      new RegExp(`Start the server, or mend ${variable}`),
    );
  };
  await eventLog.kill();
  await away('event log', 'EVENTSTOREDB_URL');
  await eventLog.restart();
  await until('all is well', isWell);

  await readModels.kill();
  await away('read models', 'MONGODB_URL');
  await readModels.start();
  await until('all is well', isWell);

  await queue.kill();
  await away('queue', 'NATS_URL');
  await queue.start();
  await until('all is well', isWell);
});

tap.test('an event log that takes longer to read than a check may is well', async (t) => {
  const server = await EventStoreDbServer.start();
  const client = EventStoreDBClient.connectionString(server.url);
  t.teardown(async () => {
    await client.dispose();
    await server.stop();
  });
  await client.appendToStream('others', neighbours(15_000_000));
  await client.appendToStream('survey-1', jsonEvent({ type: 'Noted', data: {} }));
  const env = { EVENT_LOG: 'eventstoredb', EVENTSTOREDB_URL: server.url };
  const { lines, out } = await examined(rollcallWithin(t.testdir(), env));
  t.match(
    lines.find(({ name }) => name === 'event log'),
    { ok: true },
    out,
  );
});

tap.test('a MongoDB that stands alone gives no snapshots', async (t) => {
  const env = { READ_MODELS: 'mongodb', MONGODB_URL: await oldServer(t, 21) };
  const { lines } = await examined(rollcallWithin(t.testdir(), env));
  const text = 'MongoDB has to be a replica set (--replSet)';
  t.match(
    lines.find(({ name }) => name === 'read models'),
    { ok: false, text },
  );
});
