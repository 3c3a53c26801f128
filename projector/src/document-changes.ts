import type { DocumentKey, DocumentWrite } from '@rollcall/application/read';

/** What stands under a key: `indexed` as the store's port has it. */
export interface PutDocument {
  readonly value: Uint8Array;
  readonly indexed?: Readonly<Record<string, readonly number[]>>;
}

/** `removed`, or undefined: it stays as it is. */
export type Evolved = PutDocument | 'removed' | undefined;

/** How a document changes, from what it is: nothing else is known of what is stored. */
export interface DocumentChange {
  readonly key: DocumentKey;
  readonly evolve: (stored: Uint8Array | undefined) => Evolved;
}

/** The write by which a document comes to this. */
export const writeOf = (
  place: Pick<DocumentWrite, 'collection' | 'key' | 'revision'>,
  next: Exclude<Evolved, undefined>,
): DocumentWrite => (next === 'removed' ? { ...place, op: 'remove' } : { ...place, op: 'put', ...next });

/** The order in which an event's documents are there; those of a collection that is not named come first. */
export const stages = {
  documents: 0,
  /** What is found by it is there already. */
  directory: 1,
  /** What stands in no directory any more, or is told of only now. */
  behindDirectory: 2,
  sets: 3,
  /** Promises all the rest. */
  calls: 4,
  streams: 5,
} as const;

const stageByCollection: Readonly<Record<string, number>> = {
  'employee-order': stages.directory,
  'employee-sets': stages.sets,
  'manager-sets': stages.sets,
  'api-calls': stages.calls,
  streams: stages.streams,
};

export const stageOf = ({ collection }: Pick<DocumentWrite, 'collection'>): number =>
  stageByCollection[collection] ?? stages.documents;

/** All changes of one document by one event. */
export interface GroupedChange extends DocumentChange {
  readonly collection: string;
}
