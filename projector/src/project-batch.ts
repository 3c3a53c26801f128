import {
  isOutage,
  UnwritableDocument,
  type DocumentWrite,
  type RecordedEvent,
  type StreamDocument,
} from '@rollcall/application/read';
import type { UnderWay } from './checkpoint.js';
import { DocumentsInHand } from './documents-in-hand.js';
import { applyInHand, type PreparedEvent } from './project-event.js';
import type { ProjectionRun } from './projection-run.js';
import { headWrite, nextHead, type StreamHeads } from './stream-heads.js';

/** A small event that waits for its batch. */
export interface BatchEvent {
  readonly recorded: RecordedEvent;
  readonly underWay: UnderWay;
  readonly prepared: PreparedEvent;
}

/** An event that cannot be applied: neither it nor what stands behind it on its stream was. */
export interface FailedEvent {
  readonly failed: BatchEvent;
  readonly error: unknown;
}

/** What a batch holds may weigh so much before it is written. Of blocks in which rows change it is those rows. */
const HELD_BYTES = 16 * 1024 * 1024;

type Run = Pick<ProjectionRun, 'readModels'>;

/** Writes what remains of the documents of events, all of which are applied then. */
export type Commit = (
  documents: readonly (readonly DocumentWrite[])[],
  applied: readonly BatchEvent[],
) => Promise<void>;

/** Applies small events of any streams, in the order of each stream, with one write where they are not much. What an earlier attempt has applied is left out. */
export async function projectBatch(
  run: Run,
  heads: StreamHeads,
  events: readonly BatchEvent[],
  commit: Commit,
): Promise<readonly FailedEvent[]> {
  if (events.length === 0) return [];
  try {
    const failure = await projectTogether(run, heads, events, commit);
    if (failure === undefined) return [];
    // All others, as if it had not been among them.
    const { stream, revision } = failure.failed.recorded;
    const others = events.filter(
      ({ recorded }) => recorded.stream !== stream || recorded.revision < revision,
    );
    return [failure, ...(await projectBatch(run, heads, others, commit))];
  } catch (error) {
    if (!(error instanceof UnwritableDocument)) throw error;
    return events.length === 1
      ? events.map((failed) => ({ failed, error }))
      : eachAlone(run, heads, events, commit);
  }
}

/** Where one of them fails nothing is written, or some of what stands before it: which, and why. */
async function projectTogether(
  { readModels }: Run,
  heads: StreamHeads,
  events: readonly BatchEvent[],
  commit: Commit,
): Promise<FailedEvent | undefined> {
  const before = await heads.read(events.map(({ recorded }) => recorded.stream));
  const todo = events.filter(
    ({ recorded: { stream, revision } }) => revision > (before.get(stream)?.revision ?? -1),
  );
  const documents = new DocumentsInHand(readModels, HELD_BYTES);
  await documents.prepare(todo.flatMap(({ prepared }) => prepared.changes));
  const after = new Map<string, StreamDocument>();
  for (const one of todo) {
    const { stream } = one.recorded;
    try {
      const head = nextHead(after.get(stream) ?? before.get(stream), one.recorded);
      await applyInHand(one.prepared, documents);
      await documents.makeRoom();
      after.set(stream, head);
    } catch (error) {
      await documents.settled();
      // What was written early may be of another event.
      if (isOutage(error) || error instanceof UnwritableDocument) throw error;
      return { failed: one, error };
    }
  }
  for (const [stream, head] of after) documents.set(headWrite(stream, head));
  await documents.finish((stages) => commit(stages, events));
  heads.keep(after);
  return undefined;
}

/** One of them makes a document that no store takes. */
async function eachAlone(
  run: Run,
  heads: StreamHeads,
  events: readonly BatchEvent[],
  commit: Commit,
): Promise<readonly FailedEvent[]> {
  const failures = new Map<string, FailedEvent>();
  for (const one of events) {
    if (failures.has(one.recorded.stream)) continue;
    for (const failure of await projectBatch(run, heads, [one], commit))
      failures.set(one.recorded.stream, failure);
  }
  return [...failures.values()];
}
