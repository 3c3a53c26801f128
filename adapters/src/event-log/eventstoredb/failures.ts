import { status, type ServiceError } from '@grpc/grpc-js';
import {
  AppendLimited,
  EventLogUnavailable,
  LogCorrupt,
  LogRefused,
  StreamDeleted,
} from '@rollcall/application';

const MOST_DETAILS = 200;

const hasTrailers = (error: unknown): error is { readonly metadata: { get(name: string): unknown[] } } =>
  error instanceof Error &&
  'metadata' in error &&
  typeof Reflect.get(Object(error.metadata), 'get') === 'function';

const exceptionOf = (error: unknown): unknown =>
  hasTrailers(error) ? error.metadata.get('exception')[0] : undefined;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const isRefusal = (error: unknown): boolean =>
  exceptionOf(error) === 'access-denied' ||
  [status.PERMISSION_DENIED, status.UNAUTHENTICATED].some((code) => code === codeOf(error));

/** Nothing was done; the error may name the leader. */
export const isNotLeader = (error: unknown): error is ServiceError => exceptionOf(error) === 'not-leader';

/** Nothing was done; the node does not know the leader, and the client would stay with it. */
export const isLeaderless = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('No leader info available');

/** The connection moved before sending: nothing was done. */
export const isUnsent = (error: unknown): error is ServiceError =>
  error instanceof Error && error.message.includes('Channel closed before call started');

/** Too few nodes took an append in time: this one may be a deposed leader. */
export const isCommitTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Commit phase timeout');

const refusalOf = (error: unknown): string =>
  codeOf(error) === status.UNAUTHENTICATED
    ? 'the name or the password of the connection string is wrong'
    : 'a right is missing, docs/event-log.md says which it needs';

const TLS_FAILS = 'EventStoreDB cannot be reached over TLS';

export function tlsProblemOf(error: unknown): string | undefined {
  const details = detailsOf(error);
  if (/wrong version number|packet length too long|SSL routines(?!.*certificate)/.test(details))
    return `${TLS_FAILS}: the node does not answer TLS; tls=false is for nodes that serve without`;
  const [reason] = /[^:]*(?:certificate|Hostname\/IP)[^]*/.exec(details) ?? [];
  return reason === undefined ? undefined : `${TLS_FAILS}: ${reason.trim()}`;
}

/** Unreadable storage, or a node shutting down: other calls show which. */
export const isUnreadable = (error: unknown): boolean => isBecauseOf(error, 'Unexpected ReadStreamResult');

/** The server has dropped a subscription whose client did not keep up. */
export const isTooSlow = (error: unknown): boolean => isBecauseOf(error, 'Consumer too slow');

const isBecauseOf = (error: unknown, details: string): boolean =>
  error instanceof EventLogUnavailable && detailsOf(error.cause).includes(details);

/** Adds what was tried (`append to company-1`) to a failure that an operator must repair. */
export function during(what: string, error: unknown): unknown {
  if (!(error instanceof LogRefused) || error instanceof AppendLimited) return error;
  return new LogRefused(`${error.message} (${what})`, { cause: error.cause });
}

export async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw during(what, error);
  }
}

export async function* namedAll<T>(what: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw during(what, error);
  }
}

/** The port's error for any failure of a call. Server texts name streams and addresses, no values. */
export function failureOf(error: unknown): Error {
  if (error instanceof EventLogUnavailable || error instanceof LogCorrupt) return error;
  if (exceptionOf(error) === 'stream-deleted') return new StreamDeleted('The stream was deleted');
  if (exceptionOf(error) === 'maximum-append-size-exceeded') {
    const problem = 'EventStoreDB takes less than 1 MiB in one append: set its MaxAppendSize to 1048576';
    return new AppendLimited(problem, { cause: error });
  }
  if (isNotLeader(error)) return unavailable('EventStoreDB does not say for sure which node leads', error);
  return refusedBy(error) ?? unavailable(`EventStoreDB is not available: ${detailsOf(error)}`, error);
}

export function refusedBy(error: unknown): LogRefused | undefined {
  const text = isRefusal(error) ? `EventStoreDB refuses this user: ${refusalOf(error)}` : tlsProblemOf(error);
  return text === undefined ? undefined : new LogRefused(text, { cause: error });
}

const unavailable = (text: string, cause?: unknown): EventLogUnavailable =>
  new EventLogUnavailable(text, { cause, isTransient: true });

const ATTEMPT = / \(\d{4}-\d\d-\d\dT[\d:.]+Z\)|\. Resolution note: *$/g;

export function detailsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  return details.replace(ATTEMPT, '').slice(0, MOST_DETAILS);
}

export const notInTime = (ms: number): EventLogUnavailable =>
  unavailable(`EventStoreDB did not answer within ${ms} ms`);

/** The append may stand all the same. */
export const notCommitted = (): EventLogUnavailable =>
  unavailable('EventStoreDB is not available: Commit phase timeout');
