import type { sendUnaryData, ServerDuplexStream, ServerReadableStream } from '@grpc/grpc-js';
import type { Expected } from './decisions.js';
import { badRequest, batchErrors, commitTimedOut, streamDeleted, tooBig, type Failure } from './errors.js';
import { type grpcStatus, identifierOf, nameIn, shared, streams } from './protocol.js';
import type { AppendOutcome, ProposedEvent } from './store.js';
import { Refused, type Writing } from './writing.js';

export type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
export type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type ProposedMessage = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

const proposedEvent = (message: ProposedMessage): ProposedEvent => ({
  id: (message.getId()?.getString() ?? '').toLowerCase(),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

const isAcceptable = (stream: string, events: readonly ProposedEvent[]): boolean =>
  stream !== '' && events.every(({ id, type }) => UUID.test(id) && type !== '');

interface Sent {
  readonly options: streams.AppendReq.Options;
  readonly events: readonly ProposedEvent[];
}

/** The options come first, then the events one by one. Undefined where the caller left: nothing of it is written. */
async function receive(call: AppendCall): Promise<Sent | undefined> {
  let options: streams.AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  try {
    for await (const message of call as AsyncIterable<streams.AppendReq>) {
      options ??= message.getOptions();
      const proposed = message.getProposedMessage();
      if (proposed !== undefined) events.push(proposedEvent(proposed));
    }
  } catch {
    return undefined;
  }
  return options === undefined || call.cancelled ? undefined : { options, events };
}

/** One append for each call. */
export async function append(
  writing: Writing,
  call: AppendCall,
  callback: sendUnaryData<streams.AppendResp>,
): Promise<void> {
  const sent = await receive(call);
  if (sent === undefined) return;
  const stream = nameIn(sent.options.getStreamIdentifier());
  if (!isAcceptable(stream, sent.events)) return callback(badRequest());
  const expected = expectedOf(sent.options);
  const outcome = await writing.append(stream, expected, sent.events);
  switch (outcome.kind) {
    case 'done':
      return callback(null, success(outcome));
    case 'wrong':
      return callback(null, wrongVersion(expected, outcome.actual));
    case 'deleted':
      return callback(streamDeleted(stream));
    case 'too-big':
      return callback(tooBig(outcome.most));
    case 'commit-timeout':
      return callback(commitTimedOut());
    default:
      return outcome satisfies never;
  }
}

function expectedOf(options: streams.AppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasRevision() ? BigInt(options.getRevision()) : 'any';
}

function success(outcome: { readonly revision: number; readonly position: number }): streams.AppendResp {
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const done = new streams.AppendResp.Success();
  done.setCurrentRevision(String(outcome.revision));
  done.setPosition(position);
  const answer = new streams.AppendResp();
  answer.setSuccess(done);
  return answer;
}

function wrongVersion(expected: Expected, actual: number): streams.AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  const answer = new streams.AppendResp();
  answer.setWrongExpectedVersion(wrong);
  return answer;
}

interface Batch {
  readonly options: streams.BatchAppendReq.Options;
  readonly events: ProposedEvent[];
}

/**
 * Many appends on one call, told apart by their correlation ids; decided in the order in which they came. A node that names
 * another leader ends the call, whatever else is under way on it. Once its caller has ended it, it ends with the next answer:
 * with none under way it stays open.
 */
export function batchAppend(writing: Writing, call: BatchCall, refusal: () => Failure | undefined): void {
  const batches = new Map<string, Batch>();
  let isClosing = false;
  call.on('data', (message: streams.BatchAppendReq) => {
    const id = message.getCorrelationId()?.getString() ?? '';
    const options = message.getOptions();
    const batch = batches.get(id) ?? (options && { options, events: [] });
    if (batch === undefined) return;
    batches.set(id, batch);
    batch.events.push(...message.getProposedMessagesList().map(proposedEvent));
    if (!message.getIsFinal()) return;
    batches.delete(id);
    answerBatch(writing, batch, refusal).then(
      (answer) => {
        answer.setCorrelationId(message.getCorrelationId());
        if (!call.cancelled && !call.destroyed && !call.writableEnded) call.write(answer);
        if (isClosing) call.end();
      },
      (error: unknown) => call.emit('error', error instanceof Refused ? error.failure : error),
    );
  });
  call.on('end', () => (isClosing = true));
  call.on('error', () => undefined);
}

async function answerBatch(
  writing: Writing,
  batch: Batch,
  refusal: () => Failure | undefined,
): Promise<streams.BatchAppendResp> {
  const stream = nameIn(batch.options.getStreamIdentifier());
  const answer = new streams.BatchAppendResp();
  answer.setStreamIdentifier(identifierOf(stream));
  if (isPast(batch.options)) answer.setError(batchErrors.timeout());
  else if (!isAcceptable(stream, batch.events)) answer.setError(batchErrors.badRequest());
  else
    try {
      const refused = refusal();
      if (refused !== undefined) throw new Refused(refused);
      const expected = expectedOfBatch(batch.options);
      const outcome = await writing.append(stream, expected, batch.events);
      if (outcome.kind === 'done') answer.setSuccess(batchSuccess(outcome));
      else answer.setError(batchError(stream, expected, outcome));
    } catch (error) {
      const told = error instanceof Refused ? batchErrors.ofFailure(error.failure) : undefined;
      if (told === undefined) throw error;
      answer.setError(told);
    }
  return answer;
}

const isPast = (options: streams.BatchAppendReq.Options): boolean =>
  (options.getDeadline()?.toDate().getTime() ?? Infinity) <= Date.now();

function expectedOfBatch(options: streams.BatchAppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return options.hasStreamPosition() ? BigInt(options.getStreamPosition()) : 'any';
}

function batchSuccess(outcome: {
  readonly revision: number;
  readonly position: number;
}): streams.BatchAppendResp.Success {
  const position = new shared.AllStreamPosition();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const done = new streams.BatchAppendResp.Success();
  done.setCurrentRevision(String(outcome.revision));
  done.setPosition(position);
  return done;
}

function batchError(
  stream: string,
  expected: Expected,
  outcome: Exclude<AppendOutcome, { kind: 'done' }>,
): grpcStatus.Status {
  if (outcome.kind === 'deleted') return batchErrors.streamDeleted(stream);
  if (outcome.kind === 'too-big') return batchErrors.tooBig(outcome.most);
  if (outcome.kind === 'commit-timeout') return batchErrors.timeout();
  return batchErrors.wrongVersion(expected, outcome.actual);
}
