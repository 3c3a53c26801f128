import { releaseMemory, type DocumentKey, type DocumentWrite } from '@rollcall/application/read';

export interface PutDocument {
  readonly value: Uint8Array;
  readonly indexed?: Readonly<Record<string, readonly number[]>>;
}

/** Undefined: unchanged. */
type Evolved = PutDocument | 'removed' | undefined;

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
  /** `stored` in the order of `keys`. The values of the writes lie in memory of their own. */
  writes(stored: readonly (Uint8Array | undefined)[]): readonly DocumentWrite[];
}

export interface DocumentPlace {
  readonly collection: string;
  readonly key: DocumentKey;
  /** Names the document among those of all collections. */
  readonly text: string;
}

export const textOf = (collection: string, key: readonly (string | number)[]): string =>
  key.reduce<string>((text, part) => `${text}\0${part}`, collection);

export const placeOf = (collection: string, key: DocumentKey): DocumentPlace => ({
  ...{ collection, key },
  text: textOf(collection, key),
});

export type GroupedChange = DocumentChange & DocumentPlace;

const maxCopyBytes = 2 * 1024 * 1024;

/** Of blocks that change: copies of the stored ones are made in the same memory, that of written ones is freed. */
export class BlockMemory {
  #copies: Uint8Array<ArrayBuffer> | undefined;
  #copied = 0;
  #written: ArrayBufferLike[] = [];
  #filled: ArrayBufferLike[] = [];

  forgetCopies(): void {
    this.#copied = 0;
  }

  copy(value: Uint8Array): Uint8Array {
    const start = this.#copied;
    if (start + value.length > maxCopyBytes) return Buffer.from(value);
    this.#copies ??= new Uint8Array(Buffer.allocUnsafeSlow(maxCopyBytes).buffer);
    this.#copies.set(value, start);
    this.#copied += value.length;
    return this.#copies.subarray(start, this.#copied);
  }

  /** The memory of these writes must not be used elsewhere. */
  filled(writes: readonly DocumentWrite[]): void {
    for (const write of writes) if (write.op === 'put') this.#filled.push(write.value.buffer);
  }

  /** What was filled is being written; what was written before is free. */
  goesToStore(): void {
    this.#written.forEach(releaseMemory);
    this.#written = this.#filled;
    this.#filled = [];
  }

  release(): void {
    this.goesToStore();
    this.goesToStore();
    if (this.#copies) releaseMemory(this.#copies.buffer);
  }
}
