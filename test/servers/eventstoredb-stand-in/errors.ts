import { Metadata, status } from '@grpc/grpc-js';
import type { Endpoint } from './cluster.js';
import type { Expected } from './decisions.js';
import { any, code, empty, grpcStatus, identifierOf, shared } from './protocol.js';

/** A call's end with a status, its text and trailers. */
export interface Failure {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
}

function failure(code: status, details: string, trailers: Readonly<Record<string, string>> = {}): Failure {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return { code, details, metadata };
}

export const streamDeleted = (stream: string): Failure =>
  failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const tooBig = (most: number): Failure =>
  failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(most),
  });

/** The number that stands for an expectation in the texts about deletions. */
const numberOf = (expected: Expected): string =>
  ({ any: '-2', no_stream: '-1', stream_exists: '-4' })[String(expected)] ?? String(expected);

export const wrongDeletion = (stream: string, expected: Expected, actual: number): Failure =>
  failure(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${numberOf(expected)}, Actual version: ${actual}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': numberOf(expected),
      'actual-version': String(actual),
    },
  );

export const notLeader = ({ host, port }: Endpoint): Failure =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

/** A node that knows of no leader. */
export const noLeaderInfo = (): Failure => failure(status.UNKNOWN, 'No leader info available in response');

/** Written here perhaps, but not indexed, or not by enough nodes, in time. */
export const commitTimedOut = (): Failure =>
  failure(status.UNKNOWN, 'Operation timed out: Commit phase timeout.');

/** What the client makes of the HTTP status 401. */
export const notAuthenticated = (): Failure =>
  failure(status.UNAUTHENTICATED, 'Received HTTP status code 401');

export const accessDenied = (): Failure =>
  failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const notReady = (): Failure => failure(status.UNAVAILABLE, 'Server Is Not Ready');
export const badReadAll = (): Failure => failure(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
export const badReadStream = (): Failure => failure(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
export const handlerThrew = (): Failure => failure(status.UNKNOWN, 'Exception was thrown by handler.');

/** A filter on `$all` has to say how many events are looked at in one go. */
export const noWindow = (): Failure =>
  failure(status.INVALID_ARGUMENT, "'None' is not a valid window of a filter.");

export const badRequest = (): Failure => failure(status.INVALID_ARGUMENT, 'Bad Request');

export const tooSlow = (): Failure =>
  failure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

const { Code } = code;
type Code = code.Code;

interface Message {
  serializeBinary(): Uint8Array;
}

function statusOf(what: Code, message: string, type: string, details: Message): grpcStatus.Status {
  const packed = new any.Any();
  packed.setTypeUrl(`type.googleapis.com/${type}`);
  packed.setValue(details.serializeBinary());
  const answer = new grpcStatus.Status();
  answer.setCode(what);
  answer.setMessage(message);
  answer.setDetails(packed);
  return answer;
}

/** A write that was not begun: a message alone, without a code. */
const unhandled = (message: string): grpcStatus.Status =>
  statusOf(Code.OK, message, 'google.protobuf.Empty', new empty.Empty());

/** What a batch append answers instead of a status of the call. */
export const batchErrors = {
  wrongVersion(expected: Expected, actual: number): grpcStatus.Status {
    const details = new shared.WrongExpectedVersion();
    if (actual < 0) details.setCurrentNoStream(new empty.Empty());
    else details.setCurrentStreamRevision(String(actual));
    if (expected === 'any') details.setExpectedAny(new empty.Empty());
    else if (expected === 'no_stream') details.setExpectedNoStream(new empty.Empty());
    else if (expected === 'stream_exists') details.setExpectedStreamExists(new empty.Empty());
    else details.setExpectedStreamPosition(String(expected));
    return statusOf(
      Code.ALREADY_EXISTS,
      'WrongExpectedVersion',
      'event_store.client.WrongExpectedVersion',
      details,
    );
  },
  streamDeleted(stream: string): grpcStatus.Status {
    const details = new shared.StreamDeleted();
    details.setStreamIdentifier(identifierOf(stream));
    return statusOf(Code.NOT_FOUND, 'StreamDeleted', 'event_store.client.StreamDeleted', details);
  },
  tooBig(most: number): grpcStatus.Status {
    const details = new shared.MaximumAppendSizeExceeded();
    details.setMaxappendsize(most);
    return statusOf(
      Code.INVALID_ARGUMENT,
      'MaximumAppendSizeExceeded',
      'event_store.client.MaximumAppendSizeExceeded',
      details,
    );
  },
  timeout: (): grpcStatus.Status =>
    statusOf(Code.DEADLINE_EXCEEDED, 'Timeout', 'event_store.client.Timeout', new shared.Timeout()),
  /** What is told of one append of a call; undefined for what ends the whole call. */
  ofFailure(failure: Failure): grpcStatus.Status | undefined {
    const [exception] = failure.metadata.get('exception');
    if (exception === 'access-denied')
      return statusOf(
        Code.PERMISSION_DENIED,
        'AccessDenied',
        'event_store.client.AccessDenied',
        new shared.AccessDenied(),
      );
    if (failure.details === commitTimedOut().details) return batchErrors.timeout();
    const isTold = [notReady(), noLeaderInfo()].some(({ details }) => details === failure.details);
    return isTold ? unhandled(failure.details) : undefined;
  },
  badRequest(): grpcStatus.Status {
    const details = new shared.BadRequest();
    details.setMessage("Value cannot be null. (Parameter 'value')");
    return statusOf(Code.INVALID_ARGUMENT, 'BadRequest', 'event_store.client.BadRequest', details);
  },
};
