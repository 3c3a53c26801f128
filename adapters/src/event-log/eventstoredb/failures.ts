import { status, type ServiceError } from '@grpc/grpc-js';
import { AppendLimited, EventLogUnavailable, LogCorrupt, StreamDeleted } from '@rollcall/application';

const MOST_DETAILS = 200;

interface Trailers {
  get(name: string): unknown[];
}

const hasTrailers = (error: unknown): error is { readonly metadata: Trailers } =>
  error instanceof Error &&
  'metadata' in error &&
  typeof Reflect.get(Object(error.metadata), 'get') === 'function';

/** What the server calls the reason; undefined where it gives none. */
const exceptionOf = (error: unknown): unknown =>
  hasTrailers(error) ? error.metadata.get('exception')[0] : undefined;

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const isRefusal = (error: unknown): boolean =>
  exceptionOf(error) === 'access-denied' ||
  [status.PERMISSION_DENIED, status.UNAUTHENTICATED].some((code) => code === codeOf(error));

/** The node does not lead: nothing was done, and the error may name who does. */
export const isNotLeader = (error: unknown): error is ServiceError => exceptionOf(error) === 'not-leader';

/** The node does not lead and does not know who does: nothing was done, and the client stays with it by itself. */
export const isLeaderless = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('No leader info available');

/** The connection moved before the call was sent: nothing was done. */
export const isUnsent = (error: unknown): error is ServiceError =>
  error instanceof Error && error.message.includes('Channel closed before call started');

/** Not enough nodes took an append in time: perhaps this one is cut off from them and leads no more. */
export const isCommitTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Commit phase timeout');

const refusalOf = (error: unknown): string =>
  codeOf(error) === status.UNAUTHENTICATED
    ? 'the name or the password of the connection string is wrong'
    : 'a right is missing, docs/event-log.md says which it needs';

const NO_TLS =
  'EventStoreDB is not available: the node does not answer TLS; tls=false is for nodes that serve without';

const isNoTls = (error: unknown): boolean =>
  /wrong version number|packet length too long|SSL routines(?!.*certificate)/.test(detailsOf(error));

/** The server cannot read what it has stored, or is about to go: whether it answers otherwise tells which. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof EventLogUnavailable && detailsOf(error.cause).includes('Unexpected ReadStreamResult');

/** The failure with what was tried (`append to company-1`), where somebody has to mend a user, a right or a setting. */
export function during(what: string, error: unknown): unknown {
  if (!(error instanceof EventLogUnavailable)) return error;
  const { cause } = error;
  if (!isRefusal(cause) && !isNoTls(cause)) return error;
  return unavailable(`${error.message} (${what})`, cause);
}

/** Does the work; a failure says as by `during` what was tried. */
export async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw during(what, error);
  }
}

/** As `named`, of what gives one item after the other. */
export async function* namedAll<T>(what: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw during(what, error);
  }
}

/** An error of the port for whatever a call ended with. Texts of the server name streams and addresses, no values. */
export function failureOf(error: unknown): Error {
  if (error instanceof EventLogUnavailable || error instanceof LogCorrupt) return error;
  if (exceptionOf(error) === 'stream-deleted') return new StreamDeleted('The stream was deleted');
  if (exceptionOf(error) === 'maximum-append-size-exceeded') {
    const problem = 'EventStoreDB takes less than 1 MiB in one append: set its MaxAppendSize to 1048576';
    return new AppendLimited(problem, { cause: error });
  }
  if (isNotLeader(error)) return unavailable('EventStoreDB does not say for sure which node leads', error);
  if (isRefusal(error)) {
    return unavailable(`EventStoreDB refuses this user: ${refusalOf(error)}`, error);
  }
  if (isNoTls(error)) return unavailable(NO_TLS, error);
  const isAnswer = isCommitTimeout(error);
  return unavailable(`EventStoreDB is not available: ${detailsOf(error)}`, error, isAnswer);
}

const unavailable = (text: string, cause: unknown, isAnswer = false): EventLogUnavailable =>
  new EventLogUnavailable(text, { cause, isAnswer });

/** The first words of it. */
export function detailsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message;
  return details.slice(0, MOST_DETAILS);
}

/** An own deadline passed. */
export const notInTime = (ms: number): EventLogUnavailable =>
  new EventLogUnavailable(`EventStoreDB did not answer within ${ms} ms`);

/** The server could not replicate and index an append in time; it may stand all the same. */
export const notCommitted = (): EventLogUnavailable =>
  unavailable('EventStoreDB is not available: Commit phase timeout', undefined, true);
