import type { DocumentWrite } from '@rollcall/application';
import { checkedRevision, type Collections } from '../collections.js';
import type { Environment } from './environment.js';
import { checkedKey, encodeKey, encodeNumbers, indexSpace, keySpace } from './keys.js';
import { entriesIn, revisionIn, type Entry, type RecordMaker } from './records.js';

/** A write whose keys are ready: nothing can be wrong with it once the transaction is open. */
export interface PreparedWrite {
  readonly key: Buffer;
  /** The part of the key that tells documents of the collection apart. */
  readonly own: Buffer;
  readonly revision: number;
  /** Absent for a removal. */
  readonly value: Uint8Array | undefined;
  readonly entries: readonly Entry[];
  /** What the keys of each index begin with, in the order of the declaration. */
  readonly indexes: readonly Buffer[];
}

interface Spaces {
  readonly documents: Buffer;
  readonly names: readonly string[];
  readonly indexes: readonly Buffer[];
}

/** In the order of the stages. `UnwritableDocument` for what no store could hold. */
export function prepareWrites(
  collections: Collections,
  generation: number,
  stages: readonly (readonly DocumentWrite[])[],
): PreparedWrite[] {
  const spaces = new Map<string, Spaces>();
  const spacesOf = (name: string): Spaces => {
    const known = spaces.get(name) ?? newSpaces(collections, generation, name);
    spaces.set(name, known);
    return known;
  };
  return stages.flat().map((write) => prepared(collections, spacesOf(write.collection), write));
}

function newSpaces(collections: Collections, generation: number, name: string): Spaces {
  const names = Object.keys(collections.of(name).indexes);
  return {
    documents: keySpace(generation, name),
    names,
    indexes: names.map((index) => indexSpace(generation, name, index)),
  };
}

function prepared(collections: Collections, spaces: Spaces, write: DocumentWrite): PreparedWrite {
  const key = encodeKey(spaces.documents, write.key);
  const own = key.subarray(spaces.documents.length);
  const entries = collections.indexedBy(write).map(([index, numbers]) => {
    const entry = { index: spaces.names.indexOf(index), numbers: encodeNumbers(numbers) };
    // As long as keys may be.
    entryKey(spaces.indexes, entry, own);
    return entry;
  });
  const value = write.op === 'put' ? write.value : undefined;
  return { key, own, revision: checkedRevision(write.revision), value, entries, indexes: spaces.indexes };
}

/**
 * Of what a transaction replaces, the one after the next may use the pages again: a change that touches half of the blocks of a
 * large company would otherwise make the file grow by half of them.
 */
const TRANSACTION_BYTES = 4 * 1024 * 1024;

/** The writes of each transaction, in their order. */
export function* inTransactions(writes: readonly PreparedWrite[]): Generator<readonly PreparedWrite[]> {
  let begin = 0;
  let bytes = 0;
  for (const [at, { value }] of writes.entries()) {
    bytes += value?.length ?? 0;
    if (bytes < TRANSACTION_BYTES) continue;
    yield writes.slice(begin, at + 1);
    begin = at + 1;
    bytes = 0;
  }
  if (begin < writes.length) yield writes.slice(begin);
}

/**
 * To be called in a write transaction. Each is written where what is stored is older; should the store fail in between, those
 * before are of earlier stages, or of the same.
 */
export function writeDocuments(
  { records, entries }: Pick<Environment, 'records' | 'entries'>,
  maker: RecordMaker,
  writes: readonly PreparedWrite[],
): void {
  for (const write of writes) {
    const stored = records.get(write.key);
    if (stored !== undefined && revisionIn(stored) >= write.revision) continue;
    for (const key of leftEntries(stored, write)) void entries.remove(key);
    const { revision, value } = write;
    const record = value === undefined ? maker.removed(revision) : maker.live(revision, write.entries, value);
    void records.put(write.key, record);
    for (const entry of write.entries) void entries.put(entryKey(write.indexes, entry, write.own), NOTHING);
  }
}

const NOTHING = Buffer.from([0]);

/** The keys of the entries that the document leaves. */
const leftEntries = (stored: Buffer | undefined, { indexes, own }: PreparedWrite): Buffer[] =>
  stored === undefined || indexes.length === 0
    ? []
    : entriesIn(stored).map((entry) => entryKey(indexes, entry, own));

const entryKey = (indexes: readonly Buffer[], { index, numbers }: Entry, own: Buffer): Buffer =>
  checkedKey(Buffer.concat([indexes[index] ?? Buffer.alloc(0), numbers, own]));
