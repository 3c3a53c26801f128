import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { Expected } from './decisions.js';
import { streamDeleted, wrongDeletion } from './errors.js';
import { nameIn, streams } from './protocol.js';
import type { DeleteOutcome } from './store.js';
import type { Writing } from './writing.js';

export type DeleteCall = ServerUnaryCall<streams.DeleteReq, streams.DeleteResp>;
export type TombstoneCall = ServerUnaryCall<streams.TombstoneReq, streams.TombstoneResp>;

type Options = streams.DeleteReq.Options | streams.TombstoneReq.Options;

function expectedOf(options: Options | undefined): Expected {
  if (options?.hasNoStream() === true) return 'no_stream';
  if (options?.hasStreamExists() === true) return 'stream_exists';
  return options?.hasRevision() === true ? BigInt(options.getRevision()) : 'any';
}

/** The stream can be written again; its numbering goes on. */
export async function softDelete(
  writing: Writing,
  call: DeleteCall,
  callback: sendUnaryData<streams.DeleteResp>,
): Promise<void> {
  const options = call.request.getOptions();
  const stream = nameIn(options?.getStreamIdentifier());
  const outcome = await writing.softDelete(stream, expectedOf(options));
  if (outcome.kind !== 'done') return callback(failureOf(stream, expectedOf(options), outcome));
  const position = new streams.DeleteResp.Position();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const answer = new streams.DeleteResp();
  answer.setPosition(position);
  callback(null, answer);
}

/** The stream's name is gone for ever, also where it was never used. */
export async function tombstone(
  writing: Writing,
  call: TombstoneCall,
  callback: sendUnaryData<streams.TombstoneResp>,
): Promise<void> {
  const options = call.request.getOptions();
  const stream = nameIn(options?.getStreamIdentifier());
  const outcome = await writing.tombstone(stream, expectedOf(options));
  if (outcome.kind !== 'done') return callback(failureOf(stream, expectedOf(options), outcome));
  const position = new streams.TombstoneResp.Position();
  position.setCommitPosition(String(outcome.position));
  position.setPreparePosition(String(outcome.position));
  const answer = new streams.TombstoneResp();
  answer.setPosition(position);
  callback(null, answer);
}

const failureOf = (stream: string, expected: Expected, outcome: Exclude<DeleteOutcome, { kind: 'done' }>) =>
  outcome.kind === 'deleted' ? streamDeleted(stream) : wrongDeletion(stream, expected, outcome.actual);
