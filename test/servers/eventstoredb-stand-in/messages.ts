import type { StoredEvent } from './log-file.js';
import { identifierOf, shared, streams } from './protocol.js';
import type { Store } from './store.js';

export function eventMessage(store: Store, stored: StoredEvent): streams.ReadResp {
  const { data, metadata } = store.body(stored);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  const id = new shared.UUID();
  id.setString(stored.id);
  recorded.setId(id);
  recorded.setStreamIdentifier(identifierOf(stored.stream));
  recorded.setStreamRevision(stored.revision);
  recorded.setCommitPosition(String(stored.position));
  recorded.setPreparePosition(String(stored.position));
  recorded.getMetadataMap().set('type', stored.type);
  recorded.getMetadataMap().set('created', stored.created);
  recorded.getMetadataMap().set('content-type', stored.contentType);
  recorded.setCustomMetadata(metadata);
  recorded.setData(data);
  const event = new streams.ReadResp.ReadEvent();
  event.setEvent(recorded);
  event.setCommitPosition(String(stored.position));
  const message = new streams.ReadResp();
  message.setEvent(event);
  return message;
}

export function notFoundMessage(stream: string): streams.ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(identifierOf(stream));
  const message = new streams.ReadResp();
  message.setStreamNotFound(notFound);
  return message;
}

export function confirmationMessage(id: string): streams.ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(id);
  const message = new streams.ReadResp();
  message.setConfirmation(confirmation);
  return message;
}

export function caughtUpMessage(): streams.ReadResp {
  const message = new streams.ReadResp();
  message.setCaughtUp(new streams.ReadResp.CaughtUp());
  return message;
}

export function checkpointMessage(commit: number, prepare: number): streams.ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(commit));
  checkpoint.setPreparePosition(String(prepare));
  const message = new streams.ReadResp();
  message.setCheckpoint(checkpoint);
  return message;
}
