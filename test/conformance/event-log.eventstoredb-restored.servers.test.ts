import type { EventLog } from '@rollcall/application';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { openLogOn, untilThere } from './event-log.eventstoredb.support.js';
import { collect, newEvents, put } from './event-log.support.js';

const OPTIONS = { streamPrefix: 'own-', timeoutMs: 5_000 };

async function begin(t: Test) {
  const dir = t.testdir({ server: {} });
  const fixture = await startStandIn(t, { folder: join(dir, 'server') });
  const log = await openLogOn(t, fixture.server, OPTIONS);
  return { ...fixture, log, copy: join(dir, 'copy') };
}

const append = (log: EventLog, expected: number) =>
  untilThere(() => log.append('company-1', expected, newEvents(1)));

tap.test(
  'whoever was not restarted appends nothing to a log that was restored and has grown again',
  async (t) => {
    const { server, log, copy } = await begin(t);
    await put(log, 'company-1', 'no-stream', newEvents(2));
    await put(log, 'company-2', 'no-stream', newEvents(1));
    await server.backUp(copy);
    t.match(await append(log, 1), { outcome: 'appended', revision: 2 }, 'a restart alone changes nothing');
    await server.restore(copy);
    const other = await openLogOn(t, server, OPTIONS);
    await put(other, 'company-1', 1, newEvents(1));
    const lost = {
      name: 'LogWentBack',
      message: /the event at revision 2 of company-1 that this process has seen.*restart this process$/,
    };
    const refused = async (stream: string, expected: number): Promise<unknown> =>
      log.append(stream, expected, newEvents(1));
    /** The server is there again. */
    await untilThere(() => log.readLast('company-1'));
    await t.rejects(refused('company-1', 2), lost, 'the revision is reached anew');
    await t.rejects(refused('company-2', 0), lost, 'nothing else is appended either');
    t.equal((await collect(other.readStream('company-1'))).length, 3);
    t.equal((await append(other, 2)).outcome, 'appended', 'others go on');
  },
);

tap.test('a newest event that others have taken away says nothing of the log', async (t) => {
  const { server, client, log } = await begin(t);
  await put(log, 'company-2', 'no-stream', newEvents(1));
  await put(log, 'company-1', 'no-stream', newEvents(2));
  await client.deleteStream('own-company-1');
  await server.restart();
  const appended = await untilThere(() => log.append('company-2', 0, newEvents(1)));
  t.match(appended, { outcome: 'appended', revision: 1 });
});
