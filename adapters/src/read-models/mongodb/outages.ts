import {
  MongoClientClosedError,
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
  // Of a call that was under way when its client was closed, as where that is replaced.
  MongoExpiredSessionError,
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

/** Such as a name that cannot be resolved. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

function reasonOf(error: Error): string {
  if (error instanceof MongoServerError)
    return [error.name, error.code, error.codeName].filter((part) => part !== undefined).join(' ');
  return error instanceof MongoError ? `${error.name}: ${error.message}` : error.name;
}

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11_000;
