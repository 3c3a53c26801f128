import { AppendTooLarge, type EventToAppend, type ExpectedRevision } from './event-log.js';

export const MAX_APPEND_BYTES = 1_048_576;

/** Lower case only: the chain covers the text, and a store may keep the bytes. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A server's own types begin with `$`; such an event would never be delivered. */
const TYPE = /^(?!\$).{1,255}$/s;
const STREAM_NAME = /^[\x21-\x7e]{1,400}$/;

/** Misuse is a `RangeError`, data over the limit `AppendTooLarge`. `stream` has the installation's prefix. */
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

/** Before a write or deletion: a `RangeError` for a stream of no known family. */
export function checkStreamName(names: { readonly stream: string; readonly name: string }): void {
  if (names.name === '' || !STREAM_NAME.test(names.stream)) {
    throw new RangeError('A stream name is 1 to 400 printable ASCII characters');
  }
  // Subscriptions and lists would never find it.
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

const NUMBER = '[0-9]+';
const ID = '[0-9a-f-]+';

/** Patterns of every family of streams. Each begins with letters that no id has, so installations with any prefixes can share a log. */
export const STREAM_FAMILIES: readonly string[] = [
  `company-${NUMBER}`,
  `operation-${ID}`,
  `payload-${ID}`,
  `data-${ID}`,
  `survey-${NUMBER}`,
  'surveyids',
  `key-${ID}`,
  `invitation-${NUMBER}-${NUMBER}`,
  'api-users',
  `apitokens-${NUMBER}`,
  'installation',
  'anchors',
  `reads-${NUMBER}-${NUMBER}`,
  `refusals-${NUMBER}`,
  `webhooks-${NUMBER}`,
  `operator-${ID}`,
];

const KNOWN = new RegExp(`^(?:${STREAM_FAMILIES.join('|')})$`);

/** Whether a name without prefix is of a known family; all others are foreign. */
export const isStreamName = (name: string): boolean => KNOWN.test(name);
