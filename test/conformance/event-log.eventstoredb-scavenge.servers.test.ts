import type { EventLog } from '@rollcall/application';
import tap, { type Test } from 'tap';
import { scavenge, startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { Follower, openLogOn } from './event-log.eventstoredb.support.js';
import { catchUp, collect, newEvent, newEvents, placeOf, put } from './event-log.support.js';

async function begin(t: Test) {
  const fixture = await startStandIn(t);
  const streamPrefix = 'own-';
  const open = () => openLogOn(t, fixture.server, { streamPrefix });
  return { fixture, log: await open(), open };
}

const after = async (log: EventLog, position: bigint, without: readonly string[] = []): Promise<string[]> =>
  (await catchUp(log, position, without)).events.map(placeOf);

tap.test('behind a position that was scavenged nothing is lost', async (t) => {
  const { fixture, log } = await begin(t);
  const first = await put(log, 'payload-1', 'no-stream', newEvents(2));
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  await put(log, 'survey-2', 'no-stream', [newEvent()]);
  const second = await put(log, 'payload-2', 'no-stream', newEvents(2));
  await put(log, 'survey-3', 'no-stream', newEvents(2));
  await log.deleteStream('payload-1');
  await log.deleteStream('payload-2');
  await scavenge(fixture);
  t.strictSame(await after(log, first.position), ['survey-1@0', 'survey-2@0', 'survey-3@0', 'survey-3@1']);
  t.strictSame(await after(log, second.position), ['survey-3@0', 'survey-3@1']);
  t.strictSame(await after(log, second.position, ['payload-']), ['survey-3@0', 'survey-3@1']);
  const last = await put(log, 'survey-4', 'no-stream', [newEvent()]);
  t.strictSame(await after(log, second.position), ['survey-3@0', 'survey-3@1', 'survey-4@0']);
  t.equal(await log.lastPosition(), last.position);
});

tap.test('where everything before it was scavenged, and where it was the last event', async (t) => {
  const { fixture, log } = await begin(t);
  const { position } = await put(log, 'payload-1', 'no-stream', newEvents(3));
  await log.deleteStream('payload-1');
  await scavenge(fixture);
  t.strictSame(await after(log, position), []);
  await put(log, 'survey-1', 'no-stream', newEvents(2));
  t.strictSame(await after(log, position), ['survey-1@0', 'survey-1@1']);
});

tap.test('a subscription that is cut off after a scavenge goes on where it was', async (t) => {
  const { fixture, log } = await begin(t);
  const follower = new Follower(log);
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  await put(log, 'payload-1', 'no-stream', [newEvent()]);
  await follower.until(() => follower.places.length === 2);
  await fixture.server.restart();
  await fixture.client.tombstoneStream('own-payload-1');
  await scavenge(fixture);
  await put(log, 'survey-2', 'no-stream', newEvents(2));
  await fixture.server.restart();
  await follower.until(() => follower.places.length === 4);
  await follower.stop();
  t.strictSame(follower.places, ['survey-1@0', 'payload-1@0', 'survey-2@0', 'survey-2@1']);
});

tap.test('the list of streams, and the end of the log', async (t) => {
  const { fixture, log, open } = await begin(t);
  const other = await open();
  const names = async () => (await collect(log.listStreams(''))).map(({ stream }) => stream);
  await put(log, 'survey-1', 'no-stream', [newEvent()]);
  await put(log, 'payload-1', 'no-stream', [newEvent()]);
  t.strictSame(await names(), ['survey-1', 'payload-1']);
  await log.lastPosition();
  await put(other, 'survey-2', 'no-stream', [newEvent()]);
  await other.deleteStream('payload-1');
  await scavenge(fixture);
  t.strictSame(await names(), ['survey-1', 'survey-2']);
  const { position } = await put(other, 'survey-3', 'no-stream', [newEvent()]);
  await fixture.client.appendToStream('somebody-else', []);
  t.equal(await log.lastPosition(), position);
  t.strictSame(await names(), ['survey-1', 'survey-2', 'survey-3']);
});
