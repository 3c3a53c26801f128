import type { LoadedEvent, StreamDocument } from '@rollcall/application/read';
import { DocumentsInHand } from './documents-in-hand.js';
import type { GroupedChange } from './document-changes.js';
import { changesOf, type AnyProjection, type ChunkProjection } from './projection.js';
import type { ProjectionRun } from './projection-run.js';
import { headWrite } from './stream-heads.js';

/** Larger data is projected separately. */
const minLargeBytes = 512 * 1024;

/** Written at a time; two such events may be in flight. */
const maxWriteBytes = 4 * 1024 * 1024;

const documentsPerRead = 1_000;

export interface PreparedEvent {
  readonly event: LoadedEvent;
  readonly changes: readonly GroupedChange[];
  readonly byChunks: readonly ChunkProjection[];
}

export const isLarge = (
  { largeBytes = minLargeBytes }: Pick<ProjectionRun, 'largeBytes'>,
  { size }: LoadedEvent,
): boolean => size > largeBytes;

/** Errors other than outages concern this event alone. */
export function prepareLoaded(
  projections: readonly AnyProjection[],
  event: LoadedEvent,
): PreparedEvent | Promise<PreparedEvent> {
  const byChunks = projections.filter(
    (one): one is ChunkProjection => 'event' in one && one.event === event.name,
  );
  const changes = changesOf(projections, event);
  return 'then' in changes
    ? changes.then((all) => ({ event, changes: all, byChunks }))
    : { event, changes, byChunks };
}

export async function applyInHand(
  { event, changes, byChunks }: PreparedEvent,
  documents: DocumentsInHand,
): Promise<void> {
  for (const projection of byChunks) await projection.project(event, documents);
  await documents.prepare(changes);
  documents.apply(changes, event.revision);
}

/** Projects one event in bounded memory, its stream's `head` last. A repeat skips existing documents. */
export async function applyAlone(
  run: Pick<ProjectionRun, 'readModels' | 'projections' | 'signal' | 'beside'>,
  event: LoadedEvent,
  head: StreamDocument,
): Promise<void> {
  const documents = new DocumentsInHand(stoppable(run.readModels, run.signal), maxWriteBytes);
  const { changes, byChunks } = await prepareLoaded(run.projections, event);
  const fold = await run.beside?.(event);
  for (const projection of byChunks) await projection.project(event, documents, fold);
  for (let from = 0; from < changes.length; from += documentsPerRead) {
    const some = changes.slice(from, from + documentsPerRead);
    await documents.prepare(some);
    documents.apply(some, event.revision);
    await documents.makeRoom();
  }
  documents.set(headWrite(event.stream, head));
  await documents.finish();
}

type Stored = ConstructorParameters<typeof DocumentsInHand>[0];

const stoppable = (readModels: Stored, signal: AbortSignal | undefined): Stored => ({
  newest: async (...given) => (signal?.throwIfAborted(), readModels.newest(...given)),
  write: async (...given) => (signal?.throwIfAborted(), readModels.write(...given)),
});
