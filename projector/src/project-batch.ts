import {
  isOutage,
  problemOf,
  type DocumentWrite,
  type ParkedStream,
  type StreamDocument,
} from '@rollcall/application/read';
import type { TakenEvent } from './busy-streams.js';
import { DocumentsInHand } from './documents-in-hand.js';
import { applyInHand, type PreparedEvent } from './project-event.js';
import { WHILE_PROJECTED } from './projection.js';
import type { ProjectionRun } from './projection-run.js';
import { headWrite, nextHead, type StreamHeads } from './stream-heads.js';

export interface BatchEvent extends TakenEvent {
  readonly prepared: PreparedEvent;
}

/** Neither it nor later events of its stream are applied. */
export interface FailedEvent {
  readonly failed: TakenEvent;
  readonly error: unknown;
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
export type Commit = (
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
  const failure = await projectTogether(run, heads, events, commit);
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

async function applyAll(
  heads: StreamHeads,
  events: readonly BatchEvent[],
  documents: DocumentsInHand,
): Promise<ReadonlyMap<string, StreamDocument>> {
  const before = await heads.read(events.map(({ recorded }) => recorded.stream));
  const todo = events.filter(
    ({ recorded: { stream, revision } }) => revision > (before.get(stream)?.revision ?? -1),
  );
  await documents.prepare(todo.flatMap(({ prepared }) => prepared.changes));
  const after = new Map<string, StreamDocument>();
  for (const { recorded, prepared } of todo) {
    const head = nextHead(after.get(recorded.stream) ?? before.get(recorded.stream), recorded);
    await applyInHand(prepared, documents);
    await documents.makeRoom(maxHeldBytes);
    after.set(recorded.stream, head);
  }
  return after;
}
