import { getSystemErrorMap } from 'node:util';
import {
  MongoClientClosedError,
  MongoCompatibilityError,
  MongoCursorExhaustedError,
  MongoError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoRuntimeError,
  MongoServerClosedError,
  MongoServerError,
  MongoSystemError,
  MongoTopologyClosedError,
} from 'mongodb';
import { ReadModelsLate, ReadModelsUnavailable } from '@rollcall/application';
import type { EventEmitter } from 'node:events';

const OUTAGES = [
  MongoNetworkError,
  MongoSystemError,
  MongoServerError,
  MongoRuntimeError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoServerClosedError,
  // Calls of a client that was closed or replaced.
  MongoExpiredSessionError,
  MongoCursorExhaustedError,
  // A snapshot read before any server is known; the version is checked on opening.
  MongoCompatibilityError,
];

/** Classes that the driver does not export. */
const POOL_OUTAGES = ['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'];

/** `BadValue`, `FailedToParse`, `TypeMismatch`, `InvalidBSON`, `BSONObjectTooLarge`: permanent. */
const OF_OUR_MAKING = [2, 9, 14, 22, 10_334];

const MAX_TIME_EXPIRED = 50;

/** A permanent refusal: a bug, no outage. */
class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** Outages lose the server's message, which may repeat a document; other errors stay. */
export function asOutage(error: unknown): unknown {
  if (error instanceof MongoServerError && OF_OUR_MAKING.includes(Number(error.code)))
    return new CommandRefused(`MongoDB refused a command: ${reasonOf(error)}`);
  if (!isOutage(error)) return error;
  const Kind = 'code' in error && error.code === MAX_TIME_EXPIRED ? ReadModelsLate : ReadModelsUnavailable;
  return new Kind(`MongoDB cannot be used: ${reasonOf(error)}`);
}

const isOutage = (error: unknown): error is Error =>
  OUTAGES.some((kind) => error instanceof kind) ||
  (error instanceof MongoError && POOL_OUTAGES.includes(error.name)) ||
  isSystemError(error);

/** The driver passes on some errors of names and sockets. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error &&
  ('syscall' in error || ('code' in error && (isErrno(error.code) || isOfSocket(error.code))));

const errnos = new Set([...getSystemErrorMap().values()].map(([name]) => name));
const isErrno = (code: unknown): boolean => typeof code === 'string' && errnos.has(code);

const isOfSocket = (code: unknown): boolean =>
  typeof code === 'string' && /^ERR_(?:SOCKET|STREAM|SSL|TLS)_/.test(code);

function reasonOf(error: Error): string {
  if (error instanceof MongoServerError)
    return [error.name, error.code, error.codeName].filter((part) => part !== undefined).join(' ');
  if (error instanceof MongoError) return `${error.name}: ${error.message}`;
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11_000;

/** Servers are checked every 2 s, for 3 s at most: after this time a check has hung. */
const maxSilenceMs = 10_000;

/**
 * Detects what the driver never mends by itself: a server check that hangs after a closed connection, and a client
 * whose first call found no server.
 */
export class Heartbeats {
  readonly #last = new Map<string, number>();
  #areOver = false;
  readonly #now: () => number;

  constructor(client: EventEmitter, now: () => number = () => performance.now()) {
    this.#now = now;
    const seen = ({ connectionId }: { readonly connectionId: string }): void =>
      void this.#last.set(connectionId, now());
    client
      .on('serverOpening', ({ address }: { readonly address: string }) => this.#last.set(address, now()))
      .on('serverClosed', ({ address }: { readonly address: string }) => this.#last.delete(address))
      .on('serverHeartbeatSucceeded', seen)
      .on('serverHeartbeatFailed', seen)
      .on('topologyClosed', () => (this.#areOver = true));
  }

  get haveStopped(): boolean {
    return this.#areOver || [...this.#last.values()].some((at) => this.#now() - at > maxSilenceMs);
  }
}

/** By then the driver's own timeouts have ended what they can. */
const lostAfterMs = 5_000;

/** Calls past their deadline. One whose connection closes during the send never ends, and keeps its pool slot. */
export class OverdueCalls {
  readonly #since = new Map<Promise<unknown>, number>();

  add(call: Promise<unknown>): void {
    const ended = (): void => void this.#since.delete(call);
    this.#since.set(call, performance.now());
    call.then(ended, ended);
  }

  get areLost(): boolean {
    return [...this.#since.values()].some((since) => performance.now() - since > lostAfterMs);
  }
}
