import { collectYoung } from '@rollcall/adapters/read';
import type { LoadedEvent, StreamDocument } from '@rollcall/application/read';
import { DocumentsInHand } from './documents-in-hand.js';
import type { GroupedChange } from './document-changes.js';
import { changesOf, type AnyProjection, type ChunkProjection } from './projection.js';
import type { ProjectionRun } from './projection-run.js';
import { headWrite } from './stream-heads.js';

/** Data that weighs more is projected by itself, beside the other streams. */
const LARGE_BYTES = 512 * 1024;

/** So many bytes of its documents are written at a time: two such events may be under way. */
const WRITTEN_BYTES = 4 * 1024 * 1024;

/** So many documents of a large event are looked at together. */
const TOGETHER = 1_000;

/** An event that is ready to be applied. */
export interface PreparedEvent {
  readonly event: LoadedEvent;
  readonly changes: readonly GroupedChange[];
  readonly byChunks: readonly ChunkProjection[];
}

export const isLarge = (
  { largeBytes = LARGE_BYTES }: Pick<ProjectionRun, 'largeBytes'>,
  { size }: LoadedEvent,
): boolean => size > largeBytes;

/** Reads an event; what it throws but an outage is of this event alone. */
export async function prepareLoaded(
  projections: readonly AnyProjection[],
  event: LoadedEvent,
): Promise<PreparedEvent> {
  const byChunks = projections.filter(
    (one): one is ChunkProjection => 'event' in one && one.event === event.name,
  );
  return { event, changes: await changesOf(projections, event), byChunks };
}

/** Applies a small event to what is in hand. */
export async function applyInHand(
  { event, changes, byChunks }: PreparedEvent,
  documents: DocumentsInHand,
): Promise<void> {
  for (const projection of byChunks) await projection.project(event, documents);
  await documents.prepare(changes);
  documents.apply(changes, event.revision);
}

/**
 * Projects one event by itself and in bounded memory, whatever its size, and last of all that its stream has come to `head`.
 * Interrupted, it is done again: what is there already is left out.
 */
export async function applyAlone(
  run: Pick<ProjectionRun, 'readModels' | 'projections' | 'signal' | 'beside'>,
  event: LoadedEvent,
  head: StreamDocument,
): Promise<void> {
  const documents = new DocumentsInHand(stoppable(run.readModels, run.signal), WRITTEN_BYTES);
  const { changes, byChunks } = await prepareLoaded(run.projections, event);
  const fold = await run.beside?.(event);
  for (const projection of byChunks) await projection.project(event, documents, fold);
  for (let from = 0; from < changes.length; from += TOGETHER) {
    const some = changes.slice(from, from + TOGETHER);
    await documents.prepare(some);
    documents.apply(some, event.revision);
    await documents.makeRoom();
  }
  documents.set(headWrite(event.stream, head));
  await documents.finish();
  collectYoung();
}

type Stored = ConstructorParameters<typeof DocumentsInHand>[0];

/** The same store, which ends the work at its next question where the signal says so. */
const stoppable = (readModels: Stored, signal: AbortSignal | undefined): Stored => ({
  newest: async (...given) => (signal?.throwIfAborted(), readModels.newest(...given)),
  write: async (...given) => (signal?.throwIfAborted(), readModels.write(...given)),
});
