import { createHash, randomBytes } from 'node:crypto';
import type { QueueDepth, QueueName } from '@rollcall/application';
import { decodeMessage, encodeMessage, TOKEN_BYTES, type StoredMessage } from './records.js';
import type { QueueStore } from './store.js';

/** A delivery as it stands in the store: whoever has its token may settle it. */
export interface TakenMessage {
  readonly queue: QueueName;
  readonly message: number;
  readonly token: string;
  readonly attempt: number;
  readonly body: Buffer;
}

/** What becomes of a delivered message. Times are milliseconds since 1970. */
export type Settlement =
  | { readonly kind: 'gone' }
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'again'; readonly at: number };

const hashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

/**
 * All but `isDue` and `depthOf` run inside a write transaction. A message that waits with the same body stands for
 * the new one too, from now on: the delivery that comes of it begins after this call.
 */
export function putMessage(store: QueueStore, queue: QueueName, body: Buffer, now: number): void {
  const key: [string, string] = [queue, hashOf(body)];
  const known = store.waiting.get(key);
  if (known !== undefined) return hasten(store, queue, known, now);
  const message = (store.numbers.get('message') ?? 0) + 1;
  store.numbers.putSync('message', message);
  store.messages.putSync(message, encodeMessage({ attempts: 0, dueAt: now, token: undefined, body }));
  store.due.putSync([queue, now, message], 1);
  store.waiting.putSync(key, message);
}

/** The message at the latest at the given time. */
function hasten(store: QueueStore, queue: QueueName, message: number, at: number): void {
  const stored = messageOf(store, message);
  if (stored.dueAt > at) replace(store, { queue, message, stored }, { ...stored, dueAt: at });
}

/** The message that has been due for longest; it is held until `until`, and an equal one that waits goes with it. */
export function takeMessage(
  store: QueueStore,
  queue: QueueName,
  now: number,
  until: number,
): TakenMessage | undefined {
  const message = firstDue(store, queue, now);
  if (message === undefined) return undefined;
  const stored = messageOf(store, message);
  forgetWaiting(store, queue, message, stored.body);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const attempt = stored.attempts + 1;
  replace(store, { queue, message, stored }, { ...stored, attempts: attempt, dueAt: until, token });
  return { queue, message, token, attempt, body: stored.body };
}

function forgetWaiting(store: QueueStore, queue: QueueName, message: number, body: Buffer): void {
  const key: [string, string] = [queue, hashOf(body)];
  const waiting = store.waiting.get(key);
  if (waiting === undefined) return;
  store.waiting.removeSync(key);
  if (waiting !== message) remove(store, queue, waiting, messageOf(store, waiting));
}

/** False where somebody else has the message by now, or nobody. */
export function settleMessage(store: QueueStore, taken: TakenMessage, settlement: Settlement): boolean {
  const { queue, message, token } = taken;
  const bytes = store.messages.get(message);
  const stored = bytes === undefined ? undefined : decodeMessage(bytes);
  if (stored?.token !== token) return false;
  if (settlement.kind === 'gone') remove(store, queue, message, stored);
  else if (settlement.kind === 'held')
    replace(store, { queue, message, stored }, { ...stored, dueAt: settlement.until });
  else giveBack(store, { queue, message, stored }, settlement.at);
  return true;
}

interface Place {
  readonly queue: QueueName;
  readonly message: number;
  readonly stored: StoredMessage;
}

/** Beside an equal message that waits, one is enough: the earlier time counts, and the larger number of attempts. */
function giveBack(store: QueueStore, place: Place, at: number): void {
  const { queue, message, stored } = place;
  const key: [string, string] = [queue, hashOf(stored.body)];
  const waiting = store.waiting.get(key);
  if (waiting === undefined) {
    store.waiting.putSync(key, message);
    replace(store, place, { ...stored, dueAt: at, token: undefined });
    return;
  }
  remove(store, queue, message, stored);
  const other = messageOf(store, waiting);
  const attempts = Math.max(other.attempts, stored.attempts);
  const dueAt = Math.min(other.dueAt, at);
  replace(store, { queue, message: waiting, stored: other }, { ...other, attempts, dueAt });
}

function replace(store: QueueStore, place: Place, next: StoredMessage): void {
  const { queue, message, stored } = place;
  store.messages.putSync(message, encodeMessage(next));
  if (next.dueAt === stored.dueAt) return;
  store.due.removeSync([queue, stored.dueAt, message]);
  store.due.putSync([queue, next.dueAt, message], 1);
}

function remove(store: QueueStore, queue: QueueName, message: number, stored: StoredMessage): void {
  store.messages.removeSync(message);
  store.due.removeSync([queue, stored.dueAt, message]);
}

function messageOf(store: QueueStore, message: number): StoredMessage {
  const bytes = store.messages.get(message);
  if (bytes === undefined) throw new Error('a message in it is missing');
  return decodeMessage(bytes);
}

function firstDue(store: QueueStore, queue: QueueName, now: number): number | undefined {
  for (const [, , message] of store.due.getKeys({
    start: [queue, 0, 0],
    end: [queue, now + 1, 0],
    limit: 1,
  })) {
    return message;
  }
  return undefined;
}

/** Whether there is a message to take, as every process has committed until now. */
export function isDue(store: QueueStore, queue: QueueName, now: number): boolean {
  store.root.resetReadTxn();
  return firstDue(store, queue, now) !== undefined;
}

/** When the first message of the queue is due, ms since the epoch, past or to come; undefined where there is none. */
export function nextDue(store: QueueStore, queue: QueueName): number | undefined {
  for (const [, dueAt] of store.due.getKeys({ start: [queue, 0, 0], end: [queue, Infinity, 0], limit: 1 }))
    return dueAt;
  return undefined;
}

export function depthOf(store: QueueStore, queue: QueueName): QueueDepth {
  store.root.resetReadTxn();
  const waiting = store.waiting.getKeysCount({ start: [queue, ''], end: [queue, '~'] });
  const all = store.due.getKeysCount({ start: [queue, 0, 0], end: [queue, Infinity, 0] });
  return { waiting, unsettled: all - waiting };
}
