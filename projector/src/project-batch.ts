import {
  isOutage,
  problemOf,
  type DocumentWrite,
  type Later,
  type ParkedStream,
  type StreamDocument,
  type LoadedEvent,
} from '@rollcall/application/read';
import { DocumentsInHand } from './documents-in-hand.js';
import {
  WHILE_PROJECTED,
  changesOf,
  concernedWith,
  type AnyProjection,
  type ChunkProjection,
  type ProjectionRun,
} from './projection.js';
import { type GroupedChange } from './document-changes.js';
import { headWrite, nextHead, type StreamHeads, type TakenEvent } from './checkpoint.js';

/** Larger data is projected separately. */
const minLargeBytes = 512 * 1024;

/** Written at a time; two such events may be in flight. */
const maxWriteBytes = 4 * 1024 * 1024;

const documentsPerRead = 1_000;

interface PreparedEvent {
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
  const { byDocuments, byChunks } = concernedWith(projections, event.name);
  const changes = changesOf(byDocuments, event);
  return 'then' in changes
    ? changes.then((all) => ({ event, changes: all, byChunks }))
    : { event, changes, byChunks };
}

function applyInHand(prepared: PreparedEvent, documents: DocumentsInHand): Later {
  const { event, changes, byChunks } = prepared;
  const later = byChunks.length === 0 ? documents.prepare(changes) : projectChunks(prepared, documents);
  return (
    later?.then(() => documents.apply(changes, event.revision)) ?? documents.apply(changes, event.revision)
  );
}

async function projectChunks(
  { event, changes, byChunks }: PreparedEvent,
  documents: DocumentsInHand,
): Promise<void> {
  for (const projection of byChunks) await projection.project(event, documents);
  await documents.prepare(changes);
}

type AloneRun = Pick<ProjectionRun, 'readModels' | 'projections' | 'signal' | 'beside'>;

/** Projects one event in bounded memory, its stream's `head` last. A repeat skips existing documents. */
export const applyAlone = (run: AloneRun, event: LoadedEvent, head: StreamDocument): Promise<void> =>
  applyOnce(run, event, head).catch((error: unknown) => {
    if (isOutage(error) || run.signal?.aborted === true) throw error;
    // What another projector has replaced meanwhile is read anew.
    return applyOnce(run, event, head);
  });

async function applyOnce(run: AloneRun, event: LoadedEvent, head: StreamDocument): Promise<void> {
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
  getMany: async (of, keys, take) => (signal?.throwIfAborted(), readModels.getMany(of, keys, take)),
  write: async (...given) => (signal?.throwIfAborted(), readModels.write(...given)),
});

export interface BatchEvent extends TakenEvent {
  readonly prepared: PreparedEvent;
}

/** Neither it nor later events of its stream are applied. */
export interface FailedEvent {
  readonly failed: TakenEvent;
  readonly error: unknown;
}

const batchEvents = 2_000;
const batchWrites = 8_000;
/** What is under way while parts change hands. */
const batchBytes = 2 * 1024 * 1024;

/** Small events that are written together, and those beside them that cannot be read. */
export class Batch {
  readonly events: BatchEvent[] = [];
  readonly unreadable: FailedEvent[] = [];
  #writes = 0;
  #bytes = 0;

  get isFull(): boolean {
    const count = this.events.length + this.unreadable.length;
    return count >= batchEvents || this.#writes >= batchWrites || this.#bytes >= batchBytes;
  }

  add(event: BatchEvent): undefined {
    this.events.push(event);
    this.#writes += event.prepared.changes.length;
    this.#bytes += event.prepared.event.size;
  }
}

export const firstOfEach = (failures: readonly FailedEvent[]): ReadonlyMap<string, FailedEvent> =>
  new Map(
    failures
      .toSorted((one, other) => other.failed.recorded.revision - one.failed.recorded.revision)
      .map((one) => [one.failed.recorded.stream, one]),
  );

export const parkedBy = ({ failed: { recorded }, error }: FailedEvent): ParkedStream => ({
  stream: recorded.stream,
  revision: recorded.revision,
  problem: problemOf(error, WHILE_PROJECTED),
});

/** Limit for a batch's memory; of blocks only the changed rows count. */
const maxHeldBytes = 16 * 1024 * 1024;

type Run = Pick<ProjectionRun, 'readModels'>;

/** Writes the remaining documents, after which the events are applied. */
type Commit = (
  documents: readonly (readonly DocumentWrite[])[],
  applied: readonly BatchEvent[],
) => Promise<void>;

/** In one write if possible, else bisects. Returns each stream's first failed event; earlier and other ones are applied. */
export async function projectBatch(
  run: Run,
  heads: StreamHeads,
  events: readonly BatchEvent[],
  commit: Commit,
): Promise<readonly FailedEvent[]> {
  const [first] = events;
  if (first === undefined) return [];
  const together = () => projectTogether(run, heads, events, commit);
  // What another projector has replaced meanwhile is read anew.
  const failure = (await together()) && (await together());
  if (failure === undefined) return [];
  if (events.length === 1) return [{ failed: first, error: failure.error }];
  const middle = events.length >> 1;
  const failures = await projectBatch(run, heads, events.slice(0, middle), commit);
  const failed = new Set(failures.map((one) => one.failed.recorded.stream));
  const others = events.slice(middle).filter(({ recorded }) => !failed.has(recorded.stream));
  return [...failures, ...(await projectBatch(run, heads, others, commit))];
}

/** After a failure only whole earlier events are written. */
async function projectTogether(
  { readModels }: Run,
  heads: StreamHeads,
  events: readonly BatchEvent[],
  commit: Commit,
): Promise<{ readonly error: unknown } | undefined> {
  // No writes within an event: another event's set would miss what it replaces.
  const documents = new DocumentsInHand(readModels, Infinity);
  try {
    const after = await applyAll(heads, events, documents);
    for (const [stream, head] of after) documents.set(headWrite(stream, head));
    await documents.finish((stages) => commit(stages, events));
    heads.keep(after);
    return undefined;
  } catch (error) {
    await documents.settled();
    if (isOutage(error)) throw error;
    return { error };
  }
}

const readsOf = ({ byChunks, event }: PreparedEvent) => byChunks.flatMap((one) => one.reads(event));

async function applyAll(
  heads: StreamHeads,
  events: readonly BatchEvent[],
  documents: DocumentsInHand,
): Promise<ReadonlyMap<string, StreamDocument>> {
  const before = await heads.read(events.map(({ recorded }) => recorded.stream));
  const todo = events.filter(
    ({ recorded: { stream, revision } }) => revision > (before.get(stream)?.revision ?? -1),
  );
  await documents.prepare(todo.flatMap(({ prepared }) => [...readsOf(prepared), ...prepared.changes]));
  const after = new Map<string, StreamDocument>();
  for (const { recorded, prepared } of todo) {
    const head = nextHead(after.get(recorded.stream) ?? before.get(recorded.stream), recorded);
    const later = applyInHand(prepared, documents);
    if (later !== undefined) await later;
    const written = documents.makeRoom(maxHeldBytes);
    if (written !== undefined) await written;
    after.set(recorded.stream, head);
  }
  return after;
}
