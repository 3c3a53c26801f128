import type { EventLog } from '@rollcall/application';
import {
  LogWentBack,
  type Position,
  type ReadableEventLog,
  type RecordedEvent,
} from '@rollcall/application/read';
import { withWatchedEnd, type LostLog } from './watched-log.js';

import t from 'tap';

type Ending = Pick<ReadableEventLog, 'lastPosition' | 'readStream'>;

/** A log with one stream. */
const ending = (
  lastPosition: ReadableEventLog['lastPosition'],
  stored: readonly RecordedEvent[] = [],
): Ending => ({
  lastPosition,
  readStream: (_stream, { from = 0 } = {}) =>
    ReadableStream.from(stored.filter(({ revision }) => revision >= from)),
});

const recorded = (revision: number, id: string): RecordedEvent => ({
  stream: 'company-1',
  revision,
  id,
  position: BigInt(revision),
  type: 'Happened',
  contentType: 'json',
  data: new Uint8Array(),
  metadata: new Uint8Array(),
});

/** A log whose end is where it is put. */
function at(...ends: (Position | undefined)[]) {
  const log = withWatchedEnd(ending(() => Promise.resolve(ends.shift())));
  return (withoutStreams: readonly string[] = []) => log.lastPosition({ withoutStreams });
}

t.test('an end that goes on is told as it is', async (t) => {
  const end = at(undefined, 5n, 5n, 7n);
  t.same([await end(), await end(), await end(), await end()], [undefined, 5n, 5n, 7n]);
});

t.test('an end before one that was told is none of this log, until it is passed again', async (t) => {
  const end = at(7n, 6n, undefined, 7n);
  await end();
  await t.rejects(end(), LogWentBack);
  await t.rejects(end(), /restart this process/);
  t.equal(await end(), 7n);
});

t.test('the end of a part of the streams says nothing of that of all', async (t) => {
  const end = at(7n, 3n);
  await end();
  t.equal(await end(['data-']), 3n);
});

t.test('of two that were asked at the same time neither is compared with the other', async (t) => {
  const waiting: ((position: Position) => void)[] = [];
  const log = withWatchedEnd(ending(() => new Promise<Position>((resolve) => waiting.push(resolve))));
  const [first, second] = [log.lastPosition(), log.lastPosition()];
  waiting[1]?.(8n);
  t.equal(await second, 8n);
  waiting[0]?.(7n);
  t.equal(await first, 7n);
});

t.test('what another log of the process has missed is missing, until it is seen', async (t) => {
  const missing = { stream: 'company-1', revision: 1, id: 'b' };
  const lost: LostLog = { error: LogWentBack.of('an event', missing) };
  const stored = [recorded(0, 'a'), recorded(1, 'another')];
  const log = withWatchedEnd(
    ending(() => Promise.resolve(7n), stored),
    lost,
  );
  await t.rejects(log.lastPosition(), LogWentBack, 'another stands in its place');
  stored.pop();
  await t.rejects(log.lastPosition(), LogWentBack);
  stored.push(recorded(1, 'b'));
  t.equal(await log.lastPosition(), 7n);
  stored.pop();
  t.equal(await log.lastPosition(), 7n, 'it is not looked for again');
});

t.test('what an append has missed is missing for readers too', async (t) => {
  const stored = [recorded(0, 'a')];
  const missing = { stream: 'company-1', revision: 1, id: 'b' };
  const append: EventLog['append'] = () => Promise.reject(LogWentBack.of('an event', missing));
  const log = withWatchedEnd({ ...ending(() => Promise.resolve(7n), stored), append });
  t.equal(await log.lastPosition(), 7n);
  await t.rejects(log.append('company-1', 0, []), LogWentBack);
  await t.rejects(log.lastPosition(), LogWentBack);
  stored.push(recorded(1, 'b'));
  t.equal(await log.lastPosition(), 7n);
});
