import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { openEventStoreDbEventLog } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';
import tap from 'tap';
import { tlsFile, tlsOf } from '../servers/tls-files.js';
import { openLogOn, serverFor } from './event-log.eventstoredb.support.js';
import { collect, newEvent, put } from './event-log.support.js';

tap.test('TLS and the user of the connection string', async (t) => {
  const server = await serverFor(t, [...tlsOf('server'), '--admin', 'rollcall:se:cret@']);
  const open = (user: string, query: string) =>
    openLogOn(t, server, {
      connectionString: `esdb://${user}127.0.0.1:${server.port}?${query}`,
      timeoutMs: 5_000,
    });
  const trusted = `tls=true&tlsCAFile=${encodeURIComponent(tlsFile('server.crt'))}`;
  const append = async (log: Awaited<ReturnType<typeof open>>) =>
    put(log, 'survey-1', 'no-stream', [newEvent()]);
  const log = await open('rollcall:se%3Acret%40@', trusted);
  t.equal((await append(log)).revision, 0);
  t.equal((await log.readLast('survey-1'))?.revision, 0);
  t.ok(await log.lastPosition());
  await log.deleteStream('survey-2');

  const refused = { name: 'EventLogUnavailable', message: /refuses this user/ };
  await t.rejects(append(await open('rollcall:wrong@', trusted)), refused);
  await t.rejects((await open('', trusted)).lastPosition(), refused);
  await t.rejects((await open('', trusted)).readLast('survey-1'), refused);
  const wrong = /the name or the password of the connection string is wrong \(append to survey-1\)$/;
  await t.rejects(append(await open('rollcall:wrong@', trusted)), { message: wrong });
  const missing = /a right is missing, docs\/event-log.md says which it needs \(read of survey-1\)$/;
  await t.rejects((await open('', trusted)).readLast('survey-1'), { message: missing });
  const plain = await openLogOn(t, server, {
    connectionString: `esdb://127.0.0.1:${(await serverFor(t)).port}?tls=true`,
    timeoutMs: 5_000,
  });
  await t.rejects(append(plain), { message: /the node does not answer TLS; .* \(append to survey-1\)$/ });
  await t.rejects(append(await open('rollcall:se%3Acret%40@', 'tls=true')), { message: /certificate/ });
  await t.rejects(append(await open('', 'tls=false')), { name: 'EventLogUnavailable' });
});

const calls = {
  'append to survey-1': (log) => log.append('survey-1', 'no-stream', [newEvent()]),
  'read of survey-1': (log) => log.readLast('survey-1'),
  'deletion of data-1': (log) => log.deleteStream('data-1'),
  'end of the log in $all': (log) => log.lastPosition(),
  'list of the streams company-... in $all': (log) => collect(log.listStreams('company-')),
  'subscription to $all': (log) =>
    collect(log.subscribeToAll({ after: undefined, signal: new AbortController().signal })),
  'search for damaged streams in $all': async (log) => {
    for await (const finding of log.findDamage?.() ?? []) throw new Error(finding.problem);
  },
} satisfies Record<string, (log: EventLog) => Promise<unknown>>;

tap.test('why nothing is done and what was tried stand in every failure', async (t) => {
  const users = ['--admin', 'rollcall:secret', '--user', 'guest:secret'];
  const server = await serverFor(t, [...tlsOf('server'), ...users]);
  const bare = await serverFor(t);
  const admin = EventStoreDBClient.connectionString(
    `esdb://rollcall:secret@127.0.0.1:${server.port}?tls=true&tlsCAFile=${encodeURIComponent(tlsFile('server.crt'))}`,
  );
  t.teardown(() => admin.dispose());
  const nobody = { $r: '$admins', $w: '$admins', $d: '$admins', $mr: '$admins', $mw: '$admins' };
  const data = { $userStreamAcl: nobody, $systemStreamAcl: nobody };
  await admin.appendToStream('$settings', jsonEvent({ type: 'update-default-acl', data }));
  const trusted = `tls=true&tlsCAFile=${encodeURIComponent(tlsFile('server.crt'))}`;
  const cases = [
    [server, `guest:wrong@127.0.0.1:${server.port}?${trusted}`, 'the name or the password .* is wrong'],
    [server, `guest:secret@127.0.0.1:${server.port}?${trusted}`, 'a right is missing, docs/event-log.md .*'],
    [bare, `127.0.0.1:${bare.port}?tls=true`, 'the node does not answer TLS; tls=false is for .*'],
  ] as const;
  for (const [at, address, why] of cases) {
    const log = await openLogOn(t, at, { connectionString: `esdb://${address}`, timeoutMs: 5_000 });
    for (const [what, call] of Object.entries(calls)) {
      const ending = what.replace(/[.$]/g, '\\$&');
      const message = new RegExp(`^EventStoreDB [^()]*: ${why} \\(${ending}\\)$`);
      await t.rejects(
        async () => {
          await call(log);
        },
        { name: 'EventLogUnavailable', message },
        `${what}: ${why}`,
      );
    }
  }
});

tap.test('a string that is no connection string is refused, and not repeated', async (t) => {
  const warn = t.capture(console, 'warn');
  for (const [connectionString, message] of [
    ['', /expected esdb:/],
    ['http://user:hunter2@localhost:2113', /expected esdb:/],
    ['esdb://user:hunter2@localhost:port', /cannot be parsed; expected esdb:/],
    ['esdb://user:hunter2@localhost?tls=perhaps', /cannot be parsed/],
    ['esdb://user:hunter2@localhost?tsl=false', /the option tsl is unknown; known are .*tls/],
    ['esdb://user:hunter2@localhost?tls=true&tlsVerifyCert=false', /the option tlsVerifyCert is unknown/],
    ['esdb://user:hunter2@localhost?tls=true&hunter2!=1', /an option is unknown/],
    ['esdb://user:hunter2@localhost?tlsCAFile=/nowhere/at.all', /tlsCAFile, \/nowhere\/at.all, .*ENOENT/],
    ['esdb://user:hunter2@localhost?tlsCAFile=/', /the file of tlsCAFile, \/, cannot be read: EISDIR/],
    ['esdb://user:hunter2@localhost?tlsCAFile=/dev/null', /tlsCAFile holds no certificate in PEM form/],
    [
      `esdb://user:hunter2@localhost?tlsCAFile=${tlsFile('server.key')}`,
      /tlsCAFile holds no certificate in PEM form/,
    ],
    ['esdb://user:@hunter2@localhost?tls=false', /a second @: in the name or the password write %40;/],
    ['esdb://user:x@hunter2:y@localhost', /a second @/],
    ['esdb://user:/hunter2@localhost', /^the password holds a raw \/: encode it \(%2F\);/],
    ['esdb://us er:hunter2@localhost', /^the name holds a raw space: encode it \(%20\);/],
    [
      'esdb://user:hunter2#[:@localhost',
      /^the password holds a raw : and # and \[: encode it \(%3A, %23, %5B\)/,
    ],
    ['esdb://user:hunter2%@localhost', /^the password holds a raw %: encode it \(%25\);/],
    ['esdb://user:hunter2%ff@localhost', /^the password holds codes with % that are no UTF-8/],
    ['esdb://user:x?hunter2@localhost', /^there is an @ behind a \?: .*written %3F, an @ %40/],
    ['esdb://user:x?hunter2=1@localhost?tls=false', /^there is an @ behind a \?/],
    ['esdb://hunter2@localhost', /^before the @ a name and a password belong/],
    ['esdb://:hunter2@localhost', /^before the @ a name and a password belong/],
    ['esdb://localhost?connectionName=a#hunter2', /^an option holds a raw #: encode it/],
    ['esdb://user:hunter2@localhost?keepAliveInterval=-7', /keepAliveInterval/],
  ] as const) {
    await t.rejects(openEventStoreDbEventLog({ connectionString }), {
      name: 'ConnectionStringInvalid',
      message,
    });
    const told = await openEventStoreDbEventLog({ connectionString }).catch(String);
    t.notMatch(told, /hunter2/);
  }
  t.strictSame(warn(), [], 'the client has not printed it');
  await t.rejects(
    openEventStoreDbEventLog({ connectionString: 'esdb://localhost', streamPrefix: '$x' }),
    RangeError,
  );
});

const EXITING = `
  const { openEventStoreDbEventLog } = await import(${JSON.stringify(import.meta.resolve('@rollcall/adapters'))});
  const log = await openEventStoreDbEventLog({ connectionString: process.argv[1] });
  const bytes = Buffer.from('{}');
  const id = '0190b5a0-7c3a-7d11-9f00-0123456789ab';
  const { signal } = new AbortController();
  const following = (async () => { for await (const item of log.subscribeToAll({ after: undefined, signal })) item; })();
  await log.append('survey-1', 'no-stream', [{ id, type: 'X', contentType: 'json', data: bytes, metadata: bytes }]);
  await log.close();
  await following;`;

tap.test('nothing keeps a process up whose log is closed', async (t) => {
  const server = await serverFor(t);
  const child = spawn(process.execPath, ['--input-type=module', '-e', EXITING, server.url], {
    stdio: 'inherit',
  });
  t.strictSame(await once(child, 'exit'), [0, null]);
});
