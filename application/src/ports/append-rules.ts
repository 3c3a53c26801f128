import { AppendTooLarge, type EventToAppend, type ExpectedRevision } from './event-log.js';
import { isStreamName } from './stream-names.js';

/** The most that the data of one append may weigh in any adapter, in bytes. */
export const MAX_APPEND_BYTES = 1_048_576;

/** In lower case: the chain is taken over its text, and a store may keep the bytes only. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** `$` begins what a server writes itself; nobody would be handed such an event. */
const TYPE = /^(?!\$).{1,255}$/s;
const STREAM_NAME = /^[\x21-\x7e]{1,400}$/;

/**
 * What no adapter sends on: misuse is a `RangeError`, data over the limit `AppendTooLarge`. `stream` is the name with the
 * installation's prefix.
 */
export function checkAppend(
  names: { readonly stream: string; readonly name: string },
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): void {
  checkStreamName(names);
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new RangeError('The expected revision is "no-stream" or an integer from 0');
  }
  checkEvents(events);
}

/** For whatever writes or deletes: a `RangeError` where this is no stream of the installation's own. */
export function checkStreamName(names: { readonly stream: string; readonly name: string }): void {
  if (names.name === '' || !STREAM_NAME.test(names.stream)) {
    throw new RangeError('A stream name is 1 to 400 printable ASCII characters');
  }
  // Nobody would find it again: subscriptions and lists know the families only.
  if (!isStreamName(names.name)) throw new RangeError(`No family of streams has the name ${names.name}`);
}

function checkEvents(events: readonly EventToAppend[]): void {
  if (events.length === 0) throw new RangeError('An append has at least one event');
  if (!events.every((event) => UUID.test(event.id)))
    throw new RangeError('The id of an event is a UUID in lower case');
  if (!events.every((event) => TYPE.test(event.type)))
    throw new RangeError('The type of an event is 1 to 255 characters and does not begin with $');
  const bytes = events.reduce((sum, event) => sum + event.data.byteLength, 0);
  if (bytes > MAX_APPEND_BYTES) {
    throw new AppendTooLarge(`An append of ${bytes} bytes is over the limit of ${MAX_APPEND_BYTES}`);
  }
}
