import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import tap, { type Test } from 'tap';
import { EventStoreDbServer } from './eventstoredb-server.js';
import { tlsFile, tlsOf } from './tls-files.js';
import { collect, event, failing } from './eventstoredb-stand-in.support.js';

/** A server with an authority's certificate, an administrator and two users. */
async function secured(t: Test) {
  const users = ['--admin', 'admin:change it', '--user', 'rollcall:secret', '--user', 'other:else'];
  const server = await EventStoreDbServer.start({
    folder: t.testdir(),
    args: [...users, ...tlsOf('issued')],
  });
  t.teardown(() => server.stop());
  const as = (user: string, ca = 'issued-ca.crt'): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(
      `esdb://${user}127.0.0.1:${server.port}?tls=true&tlsCAFile=${encodeURIComponent(tlsFile(ca))}`,
    );
    t.teardown(() => client.dispose());
    return client;
  };
  return { server, as };
}

const denied = { type: 'access-denied' };

tap.test('the certificate is that of the authority', async (t) => {
  const { as } = await secured(t);
  t.match(await failing(as('rollcall:secret@', 'server.crt').readStream('a')), { message: /certificate/ });
  t.match(await failing(as('rollcall:secret@').readStream('a')), { type: 'stream-not-found' });
});

tap.test('who has no password, or a wrong one', async (t) => {
  const { server, as } = await secured(t);
  const rollcall = as('rollcall:secret@');
  t.match(await failing(as('').readStream('a')), denied);
  t.match(await failing(as('rollcall:wrong@').readStream('a')), { type: 'access-denied', code: 16 });
  t.match(await failing(as('nobody:secret@').readStream('a')), { code: 16, message: /401/ });
  await rollcall.appendToStream('a', event());
  await server.order('password', 'rollcall', 'changed');
  t.match(await failing(rollcall.readStream('a')), { code: 16 });
  t.equal((await collect(as('rollcall:changed@').readStream('a'))).length, 1);
});

tap.test('by default everybody writes and reads streams, and administrators read $all', async (t) => {
  const { as } = await secured(t);
  const [admin, rollcall] = [as('admin:change%20it@'), as('rollcall:secret@')];
  await rollcall.appendToStream('a', event());
  t.match(await failing(rollcall.appendToStream('$a', event())), denied);
  t.match(await failing(rollcall.readAll()), denied);
  t.ok((await collect(admin.readAll())).length > 0);
  await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'rollcall'] } });
  t.ok((await collect(rollcall.readAll())).length > 0);
  t.match(await failing(as('other:else@').readAll()), denied);
  await rollcall.tombstoneStream('a');
});

tap.test('access lists of a stream and of the whole server', async (t) => {
  const { as } = await secured(t);
  const [admin, rollcall, other] = [as('admin:change%20it@'), as('rollcall:secret@'), as('other:else@')];
  await rollcall.appendToStream('a', event());
  await rollcall.setStreamMetadata('a', { acl: { writeRoles: ['rollcall'], deleteRoles: ['$admins'] } });
  t.match(await failing(other.appendToStream('a', event())), denied);
  t.equal((await collect(other.readStream('a'))).length, 1);
  t.match(await failing(rollcall.tombstoneStream('a')), denied);
  const lists = { $userStreamAcl: { $r: 'rollcall', $w: 'rollcall', $d: 'rollcall', $mw: 'rollcall' } };
  await admin.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data: lists }));
  t.match(await failing(other.readStream('a')), denied);
  t.match(await failing(other.appendToStream('b', event())), denied);
  await rollcall.appendToStream('a', event());
});
