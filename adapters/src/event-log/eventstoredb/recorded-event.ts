import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { LogCorrupt, type RecordedEvent } from '@rollcall/application';

export interface StoredEvent {
  readonly stream: string;
  readonly type: string;
  readonly position: bigint;
  readonly message: ReadResp.ReadEvent.RecordedEvent;
}

export function storedEvent(response: ReadResp): StoredEvent | undefined {
  const message = response.getEvent()?.getEvent();
  if (message === undefined) return undefined;
  return {
    stream: Buffer.from(message.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8'),
    type: message.getMetadataMap().get('type') ?? '',
    position: BigInt(message.getCommitPosition()),
    message,
  };
}

/** Data and metadata byte for byte as written. */
export function recordedEvent({ type, position, message }: StoredEvent, stream: string): RecordedEvent {
  return {
    stream,
    revision: revisionOf(message.getStreamRevision(), stream),
    position,
    id: message.getId()?.getString() ?? '',
    type,
    contentType: message.getMetadataMap().get('content-type') === 'application/json' ? 'json' : 'binary',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** `LogCorrupt` above 2^53. */
export function revisionOf(text: string, stream: string): number {
  const revision = Number(text);
  if (text !== '' && Number.isSafeInteger(revision) && revision >= 0) return revision;
  throw new LogCorrupt(`The stream ${stream} has an event with a revision that is none`);
}
