import {
  type EmployeeSetFold,
  fromJson,
  toJson,
  LogCorrupt,
  type CopiedCollections,
  type DocumentKey,
  type LoadedEvent,
  framesOf,
  isOutage,
  problemOf,
  type DamageFinder,
  type EventReader,
  type EventSubscriber,
  type Position,
  type ProcessLogger,
  type ReadModelReader,
  type ReadModelWriter,
  type RecordedEvent,
  ReadModelsUnavailable,
} from '@rollcall/application/read';
import type { EmployeeSetSummary, EventData, EventMetadata, EventName } from '@rollcall/contracts';
import { readSetSummary } from '@rollcall/employee-lists/set';
import {
  stageOf,
  textOf,
  type DocumentChange,
  type DocumentPlace,
  type GroupedChange,
  type PutDocument,
} from './document-changes.js';
import type { DocumentsInHand } from './documents-in-hand.js';

/** Sets are read chunk by chunk: only what precedes the lists is known here. */
type DataOf<N extends EventName> = N extends 'EmployeeSetReplaced' | 'EmployeeSetConfirmed'
  ? EmployeeSetSummary
  : EventData<N>;

export interface ReadEvent<N extends EventName = EventName> {
  readonly stream: string;
  readonly revision: number;
  readonly metadata: EventMetadata;
  readonly data: DataOf<N>;
}

/** Which documents an event touches, and how. Pure, so repeats are recognised and skipped. */
export interface Projection {
  readonly collection: string;
  readonly changes: { readonly [N in EventName]?: (event: ReadEvent<N>) => Iterable<DocumentChange> };
}

export interface ChunkProjection {
  /** All that it writes, in the order in which they are copied. */
  readonly collections: readonly string[];
  readonly event: EventName;
  /** What `project` reads first: of a batch of events it is read at once. */
  reads(event: LoadedEvent): readonly DocumentPlace[];
  project(event: LoadedEvent, documents: DocumentsInHand, fold?: EmployeeSetFold): Promise<void>;
}

export type AnyProjection = Projection | ChunkProjection;

export const collectionsOf = (one: AnyProjection): readonly string[] =>
  'collections' in one ? one.collections : [one.collection];

/** An event that the copied collections have needs only the projections of the others. */
export function projectionsBy(
  projections: readonly AnyProjection[],
  { names = [], upTo }: Partial<CopiedCollections> = {},
): (event: { readonly position: Position }) => readonly AnyProjection[] {
  const ofOthers = projections.filter((one) => !collectionsOf(one).every((name) => names.includes(name)));
  return ({ position }) => (upTo !== undefined && position <= upTo ? ofOthers : projections);
}

interface Concerned {
  /** In the order of stages. */
  readonly byDocuments: readonly Projection[];
  readonly byChunks: readonly ChunkProjection[];
}

const concerned = new WeakMap<readonly AnyProjection[], Map<EventName, Concerned>>();

export function concernedWith(projections: readonly AnyProjection[], name: EventName): Concerned {
  const byName = concerned.get(projections) ?? new Map<EventName, Concerned>();
  concerned.set(projections, byName);
  const known = byName.get(name) ?? {
    byDocuments: projections
      .filter((one): one is Projection => 'changes' in one && one.changes[name] !== undefined)
      .sort((one, other) => stageOf(one) - stageOf(other)),
    byChunks: projections.filter((one): one is ChunkProjection => 'event' in one && one.event === name),
  };
  byName.set(name, known);
  return known;
}

/** Document changes in order, at once if the data is not staged. `LogCorrupt` for misshapen data. */
export function changesOf(
  projections: readonly Projection[],
  event: LoadedEvent,
): readonly GroupedChange[] | Promise<readonly GroupedChange[]> {
  if (projections.length === 0) return [];
  const { stream, revision, metadata } = event;
  const changesFor = (data: unknown): readonly GroupedChange[] => {
    const all = new Map<string, GroupedChange>();
    for (const { collection, changes } of projections) {
      const handler = changes[event.name] as ((event: unknown) => Iterable<DocumentChange>) | undefined;
      for (const change of handler?.({ stream, revision, metadata, data }) ?? [])
        group(all, collection, change);
    }
    return [...all.values()];
  };
  const data = dataOf(event);
  return data instanceof Promise ? data.then(changesFor) : changesFor(data);
}

function group(all: Map<string, GroupedChange>, collection: string, { key, evolve }: DocumentChange): void {
  const text = textOf(collection, key);
  const before = all.get(text)?.evolve;
  all.set(text, { collection, key, text, evolve: before === undefined ? evolve : chained(before, evolve) });
}

const chained =
  (first: DocumentChange['evolve'], second: DocumentChange['evolve']): DocumentChange['evolve'] =>
  (stored) => {
    const middle = first(stored);
    const between = middle === undefined ? stored : middle === 'removed' ? undefined : middle.value;
    return second(between) ?? middle;
  };

const ofSets: readonly EventName[] = ['EmployeeSetReplaced', 'EmployeeSetConfirmed'];

function dataOf(event: LoadedEvent): unknown {
  const { inline } = event;
  if (!ofSets.includes(event.name)) return inline ? inline.json() : event.json();
  return inline ? inline.summary() : beginningOf(event).then(readSetSummary);
}

/** The counts precede the lists: only the first chunk is read. */
async function beginningOf(event: LoadedEvent): Promise<Uint8Array> {
  for await (const chunk of event.chunks()) return chunk;
  throw new LogCorrupt(`the event at revision ${event.revision} of ${event.stream} has no data`);
}

/** Suffix for failures whose text may not be shown. */
export const WHILE_PROJECTED = ' while it was projected';

export const replaced = (key: DocumentKey, document: unknown): DocumentChange => ({
  key,
  evolve: () => ({ value: toJson(document) }),
});

export const keeping = <T extends object>(
  key: DocumentKey,
  document: T,
  members: readonly (keyof T)[],
  indexed: NonNullable<PutDocument['indexed']>,
): DocumentChange => ({
  key,
  evolve: (stored) => {
    const known = Object.entries((fromJson(stored) as T | undefined) ?? {});
    const kept = Object.fromEntries(known.filter(([name]) => members.some((each) => each === name)));
    return { value: toJson({ ...document, ...kept }), indexed };
  },
});

export const removed = (key: DocumentKey): DocumentChange => ({ key, evolve: () => 'removed' });

export function companyOf(event: Pick<LoadedEvent, 'metadata' | 'revision' | 'stream'>): number {
  const { companyId } = event.metadata;
  if (companyId === null) {
    throw new LogCorrupt(`the event at revision ${event.revision} of ${event.stream} names no company`);
  }
  return companyId;
}

export interface ProjectionRun {
  readonly log: EventReader & EventSubscriber & DamageFinder;
  /** One generation: its checkpoint and heads hold for no other. */
  readonly readModels: ReadModelReader & ReadModelWriter;
  readonly projections: readonly AnyProjection[];
  /** Whose parts of the streams are projected; without one, all of them. */
  readonly holder?: string | undefined;
  readonly signal?: AbortSignal;
  readonly logger?: ProcessLogger;
  readonly largeBytes?: number | undefined;
  /** Asked before each separately projected event: a fold to feed with its elements. */
  readonly beside?: (event: LoadedEvent) => Promise<EmployeeSetFold | undefined>;
  /** Called with each event that is read, of others' parts too; after a hand-over with some of them again. */
  readonly onRead?: (event: RecordedEvent) => void;
  /** Called after each applied event; repeated or, in a crash, left out. Errors other than outages are only logged. */
  readonly onApplied?: (event: LoadedEvent) => Promise<void>;
}

export async function notify({ onApplied, logger }: ProjectionRun, event: LoadedEvent): Promise<void> {
  try {
    await onApplied?.(event);
  } catch (error) {
    if (isOutage(error)) throw error;
    const { stream, revision } = event;
    const found = { stream, revision, problem: problemOf(error), frames: framesOf(error) };
    logger?.warn(found, 'not done after an event');
  }
}

/** Another process is ahead; finished work is skipped next time. */
export class Overtaken extends ReadModelsUnavailable {
  override readonly name = 'Overtaken';
}
