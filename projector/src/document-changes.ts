import type { DocumentKey, DocumentWrite } from '@rollcall/application/read';

export interface PutDocument {
  readonly value: Uint8Array;
  readonly indexed?: Readonly<Record<string, readonly number[]>>;
}

/** Undefined: unchanged. */
export type Evolved = PutDocument | 'removed' | undefined;

/** Depends on the stored document only. */
export interface DocumentChange {
  readonly key: DocumentKey;
  readonly evolve: (stored: Uint8Array | undefined) => Evolved;
}

export const writeOf = (
  place: Pick<DocumentWrite, 'collection' | 'key' | 'revision'>,
  next: Exclude<Evolved, undefined>,
): DocumentWrite => (next === 'removed' ? { ...place, op: 'remove' } : { ...place, op: 'put', ...next });

/** The order in which an event's documents become visible; other collections come first. */
export const stages = {
  documents: 0,
  /** Everything that a set refers to exists. */
  sets: 1,
  /** Planned employees are in the set; deleted documents are in no readable set. */
  behindSets: 2,
  /** Implies all the rest. */
  calls: 3,
  streams: 4,
} as const;

const stageByCollection: Readonly<Record<string, number>> = {
  'employee-sets': stages.sets,
  'manager-sets': stages.sets,
  'invitation-plans': stages.behindSets,
  'api-calls': stages.calls,
  streams: stages.streams,
};

export const stageOf = ({ collection }: Pick<DocumentWrite, 'collection'>): number =>
  stageByCollection[collection] ?? stages.documents;

/** A change that is computed when it is written, to save memory. Changes of one name run in order. */
export interface LaterChange {
  readonly name: string;
  readonly collection: string;
  readonly keys: readonly DocumentKey[];
  /** Memory held until then. */
  readonly bytes: number;
  /** Adds the next change of the same name. */
  add(next: LaterChange): void;
  /** `stored` in the order of `keys`. Writes may lie in `memory`. */
  writes(
    stored: readonly (Uint8Array | undefined)[],
    memory?: Uint8Array<ArrayBuffer>,
  ): readonly DocumentWrite[];
}

export interface GroupedChange extends DocumentChange {
  readonly collection: string;
}
