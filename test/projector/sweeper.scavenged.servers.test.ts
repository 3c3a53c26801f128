import { openEmbeddedSnapshots } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';
import { Sweeper } from '@rollcall/projector';
import t from 'tap';
import { openLogOn } from '../conformance/event-log.eventstoredb.support.js';
import { collect, newEvent, put } from '../conformance/event-log.support.js';
import { scavenge, startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { withMembers } from '../support/with-members.js';
import { append, largeRefusal } from './projector.support.js';

const DAY = 24 * 60 * 60_000;

/** A chunk that nothing refers to. */
const orphan = (recordedAt: number) =>
  newEvent('', {
    contentType: 'binary',
    type: 'DataPiece',
    metadata: Buffer.from(
      JSON.stringify({ recordedAt: new Date(recordedAt).toISOString(), chain: '0'.repeat(64) }),
    ),
  });

t.test('a reference behind a place that was scavenged is seen: what it refers to stays', async (t) => {
  const fixture = await startStandIn(t);
  const log = await openLogOn(t, fixture.server, { streamPrefix: 'own-', timeoutMs: 5_000 });
  const clock = { at: Date.now(), now: () => clock.at };
  const sweeper = new Sweeper({ log, clock, snapshots: openEmbeddedSnapshots({ folder: t.testdir() }) });
  // It is old, and the sweeper does not know yet what refers to it: it looks.
  await append({ log, clock: { now: () => clock.at - 2 * DAY } }, 'operation-2', largeRefusal());
  /** Chunks stand, then one of another stream, at which the sweeper comes to stand, then what refers to the chunks. */
  const between = async (): Promise<void> => {
    await put(log, 'data-01', 'no-stream', [orphan(clock.at)]);
    t.strictSame(await sweeper.sweep(), []);
  };
  const appending: EventLog['append'] = async (stream, ...given) => {
    if (stream === 'operation-1') await between();
    return log.append(stream, ...given);
  };
  await append({ log: withMembers(log, { append: appending }), clock }, 'operation-1', largeRefusal());
  await log.deleteStream('data-01');
  await scavenge(fixture);
  clock.at += 2 * DAY;
  t.strictSame(await sweeper.sweep(), []);
  const left = await collect(log.listStreams('data-'));
  t.equal(left.length, 2);
});
