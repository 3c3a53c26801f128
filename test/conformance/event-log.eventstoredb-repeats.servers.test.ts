import { decideAndAppend, systemClock, type AppendResult, type EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { appended, revoke } from '../application/decide-and-append.support.js';
import { openLogOn, serverFor } from './event-log.eventstoredb.support.js';
import { collect, newEvent, put } from './event-log.support.js';

/** Long enough that the second append comes before the first is indexed, and is dropped. */
const slow = ['--commit-delay-ms', '800', '--commit-timeout-ms', '1600'];

/** Two processes on one server, each with its connection. */
async function twoLogs(t: Test): Promise<EventLog[]> {
  const server = await serverFor(t, slow);
  const connectionString = `esdb://127.0.0.1:${server.port}?tls=false&keepAliveTimeout=9000`;
  const options = { streamPrefix: 'twice-', timeoutMs: 5_000 };
  const logs = [
    await openLogOn(t, server, options),
    await openLogOn(t, server, { ...options, connectionString }),
  ];
  await Promise.all(logs.map((log, n) => put(log, `survey-${n + 90}`, 'no-stream', [newEvent()])));
  return logs;
}

const streams = Array.from({ length: 8 }, (_, n) => `survey-${n + 1}`);

tap.test(
  'the same append at once over two connections stands once, and who is refused repeats it',
  async (t) => {
    const logs = await twoLogs(t);
    let refused = 0;
    await Promise.all(
      streams.map(async (stream) => {
        const event = newEvent();
        const send = (log: EventLog): Promise<AppendResult> => log.append(stream, 'no-stream', [event]);
        for (const one of await Promise.allSettled(logs.map(send)))
          if (one.status === 'rejected') {
            refused += 1;
            t.match(one.reason, { name: 'EventLogUnavailable', message: /Commit phase timeout/ });
          } else t.match(one.value, { outcome: 'appended', revision: 0 });
        for (const log of logs) t.match(await send(log), { outcome: 'appended', revision: 0 });
        for (const log of logs) t.equal((await collect(log.readStream(stream))).length, 1);
      }),
    );
    t.equal(refused, streams.length, 'one of each two');
  },
);

tap.test('one decision that two processes append at once has one outcome for both', async (t) => {
  const logs = await twoLogs(t);
  const request = revoke('a');
  const outcomes = await Promise.all(
    logs.map((log) => decideAndAppend({ log, clock: systemClock }, request)),
  );
  const revisions = outcomes.map((outcome) => appended(outcome).loaded.head.revision);
  t.strictSame(revisions, [0, 0]);
  for (const log of logs) t.equal((await collect(log.readStream(request.stream))).length, 1);
});
