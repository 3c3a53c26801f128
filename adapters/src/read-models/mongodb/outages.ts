import { getSystemErrorMap } from 'node:util';
import {
  MongoClientClosedError,
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
import { ReadModelsUnavailable } from '@rollcall/application';

/** What the driver throws where a server, or the way to it, is not there. */
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
  // Of calls that were under way when their client was closed, as where that is replaced.
  MongoExpiredSessionError,
  MongoCursorExhaustedError,
];

/** Those of the driver's connection pool, whose classes it keeps to itself. */
const POOL_OUTAGES = ['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'];

/** `BadValue`, `FailedToParse`, `TypeMismatch`, `InvalidBSON`, `BSONObjectTooLarge`: what was sent is wrong, and stays so. */
const OF_OUR_MAKING = [2, 9, 14, 22, 10_334];

/** The server refuses what it was sent, as it will the next time: a mistake in this program, no outage. */
class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

/** An outage where it is one, without what a server's message may repeat of a document; any other error as it is. */
export function asOutage(error: unknown): unknown {
  if (error instanceof MongoServerError && OF_OUR_MAKING.includes(Number(error.code)))
    return new CommandRefused(`MongoDB refused a command: ${reasonOf(error)}`);
  return isOutage(error) ? new ReadModelsUnavailable(`MongoDB cannot be used: ${reasonOf(error)}`) : error;
}

const isOutage = (error: unknown): error is Error =>
  OUTAGES.some((kind) => error instanceof kind) ||
  (error instanceof MongoError && POOL_OUTAGES.includes(error.name)) ||
  isSystemError(error);

/** Such as a name that cannot be resolved, or a socket that the server ended at this moment: the driver passes some on as they are. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error &&
  ('syscall' in error || ('code' in error && (isErrno(error.code) || isOfSocket(error.code))));

const errnos = new Set([...getSystemErrorMap().values()].map(([name]) => name));
const isErrno = (code: unknown): boolean => typeof code === 'string' && errnos.has(code);

/** What Node says of a connection that is closed already, or that the server ends over TLS. */
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
