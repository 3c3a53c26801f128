import { randomUUID } from 'node:crypto';
import type { EventLog, EventToAppend, RecordedEvent, SubscriptionItem } from '@rollcall/application';

export const newEvent = (text = 'x', change: Partial<EventToAppend> = {}): EventToAppend => ({
  id: randomUUID(),
  type: 'SomethingHappened',
  contentType: 'json',
  data: Buffer.from(JSON.stringify({ text })),
  metadata: Buffer.from('{"by":"somebody"}'),
  ...change,
});

export const newEvents = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, n) => newEvent(`${n}`));

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const placeOf = (event: RecordedEvent): string => `${event.stream}@${event.revision}`;

export const itemText = (item: SubscriptionItem): string =>
  item.kind === 'event' ? placeOf(item.event) : 'caught-up';

/** What a subscription delivers until it has caught up. */
export async function catchUp(
  log: EventLog,
  after: bigint | undefined,
  withoutStreams: readonly string[] = [],
  matching?: string,
): Promise<{ events: RecordedEvent[]; position: bigint | undefined }> {
  const end = new AbortController();
  const events: RecordedEvent[] = [];
  for await (const item of log.subscribeToAll({ after, withoutStreams, matching, signal: end.signal })) {
    if (item.kind === 'caught-up') return { events, position: item.position };
    events.push(item.event);
  }
  throw new Error('The subscription ended before it had caught up');
}

/** The next item of a running subscription; fails where it has ended. */
export async function next(subscription: AsyncIterator<SubscriptionItem>): Promise<SubscriptionItem> {
  const item = await subscription.next();
  if (item.done === true) throw new Error('The subscription has ended');
  return item.value;
}

/** Appends and insists on success. */
export async function put(
  log: EventLog,
  stream: string,
  expected: 'no-stream' | number,
  events: EventToAppend[],
) {
  const result = await log.append(stream, expected, events);
  if (result.outcome !== 'appended') throw new Error(`wrong revision: ${result.actual}`);
  return result;
}
