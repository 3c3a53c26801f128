import type { DocumentWrite } from '@rollcall/application';
import { checkedRevision, type Collections } from '../generation-rules.js';
import type { Environment } from './environment.js';
import {
  checkedKey,
  encodeKey,
  encodeNumbers,
  indexSpace,
  keySpace,
  behindAll,
  entriesIn,
  revisionIn,
  type Entry,
  type RecordMaker,
  valueIn,
} from './records.js';

/** Fully checked: it cannot fail in the transaction. */
export interface PreparedWrite {
  readonly key: Buffer;
  readonly own: Buffer;
  readonly revision: number;
  /** Deletes from here up to `key`. */
  readonly deletesFrom?: Buffer;
  /** Absent for a removal. */
  readonly value: Uint8Array | undefined;
  readonly entries: readonly Entry[];
  readonly indexes: readonly Buffer[];
}

interface Spaces {
  readonly documents: Buffer;
  readonly names: readonly string[];
  readonly indexes: readonly Buffer[];
}

/** `UnwritableDocument` for what no store can hold. */
export function prepareWrites(
  collections: Collections,
  generation: number,
  stages: readonly (readonly DocumentWrite[])[],
): PreparedWrite[] {
  const spaces = new Map<string, Spaces>();
  const spacesBy = (name: string): Spaces => {
    const known = spaces.get(name) ?? spacesOf(collections, generation, name);
    spaces.set(name, known);
    return known;
  };
  return stages.flat().map((write) => prepared(collections, spacesBy(write.collection), write));
}

function spacesOf(collections: Collections, generation: number, name: string): Spaces {
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
    // Throws where the key is too long.
    entryKey(spaces.indexes, entry, own);
    return entry;
  });
  const value = write.op === 'put' ? write.value : undefined;
  const revision = checkedRevision(write.revision);
  const deletes = write.op === 'delete-to' && {
    deletesFrom:
      write.from === undefined ? key : encodeKey(spaces.documents, [...write.key.slice(0, -1), write.from]),
  };
  return { key, own, revision, value, entries, indexes: spaces.indexes, ...deletes };
}

/** The next transaction but one can reuse replaced pages: one large transaction would grow the file by all of them. */
const maxTransactionBytes = 4 * 1024 * 1024;

export function* inTransactions(writes: readonly PreparedWrite[]): Generator<readonly PreparedWrite[]> {
  let begin = 0;
  let bytes = 0;
  for (const [at, { value }] of writes.entries()) {
    bytes += value?.length ?? 0;
    if (bytes < maxTransactionBytes) continue;
    yield writes.slice(begin, at + 1);
    begin = at + 1;
    bytes = 0;
  }
  if (begin < writes.length) yield writes.slice(begin);
}

/** Call it in a write transaction. Writes where the stored revision is lower. A failure may leave part of the last stage. */
export function writeDocuments(
  { records, entries }: Pick<Environment, 'records' | 'entries'>,
  maker: RecordMaker,
  writes: readonly PreparedWrite[],
): void {
  for (const write of writes) {
    if (write.deletesFrom !== undefined) {
      deleteTo({ records, entries }, write, write.deletesFrom);
      continue;
    }
    const stored = records.get(write.key);
    if (stored !== undefined && revisionIn(stored) >= write.revision) continue;
    for (const key of leftEntries(stored, write)) void entries.remove(key);
    const { revision, value } = write;
    const record = value === undefined ? maker.removed(revision) : maker.live(revision, write.entries, value);
    void records.put(write.key, record);
    for (const entry of write.entries) void entries.put(entryKey(write.indexes, entry, write.own), NOTHING);
  }
}

function deleteTo(
  { records, entries }: Pick<Environment, 'records' | 'entries'>,
  write: PreparedWrite,
  start: Buffer,
): void {
  const range = { start, end: Buffer.concat([write.key, NOTHING]) };
  for (const key of start === write.key ? [start] : [...records.getKeys(range)]) {
    const own = key.subarray(write.key.length - write.own.length);
    const stored = write.indexes.length > 0 ? records.get(key) : undefined;
    for (const entry of leftEntries(stored, { ...write, own })) void entries.remove(entry);
    void records.remove(key);
  }
}

const NOTHING = Buffer.from([0]);

const leftEntries = (stored: Buffer | undefined, { indexes, own }: PreparedWrite): Buffer[] =>
  stored === undefined || indexes.length === 0
    ? []
    : entriesIn(stored).map((entry) => entryKey(indexes, entry, own));

const entryKey = (indexes: readonly Buffer[], { index, numbers }: Entry, own: Buffer): Buffer =>
  checkedKey(Buffer.concat([indexes[index] ?? Buffer.alloc(0), numbers, own]));

const BATCH = 5_000;

/** A collection's documents, removed ones too, as writes to another generation. Call `next` when the last batch is written. */
export function* copiedWrites(
  environment: Environment,
  declared: Collections,
  { collection, from, to }: { readonly collection: string; readonly from: number; readonly to: number },
): Generator<readonly PreparedWrite[]> {
  const space = keySpace(from, collection);
  const { documents, indexes } = spacesOf(declared, to, collection);
  for (let start = space; ;) {
    const { found, last } = readBatch(environment, start, behindAll(space));
    yield found.map(([key, record]) => {
      const own = key.subarray(space.length);
      const place = { key: Buffer.concat([documents, own]), own, indexes };
      return { ...place, revision: revisionIn(record), value: valueIn(record), entries: entriesIn(record) };
    });
    if (last === undefined) return;
    start = last;
  }
}

/** `last` is the key to continue after; undefined at the end. */
function readBatch({ root, records }: Environment, start: Buffer, end: Buffer) {
  root.resetReadTxn();
  const found: (readonly [key: Buffer, record: Buffer])[] = [];
  let bytes = 0;
  for (const { key, value } of records.getRange({ start, end, exclusiveStart: true })) {
    found.push([key, Buffer.from(value)]);
    bytes += value.length;
    if (found.length >= BATCH || bytes >= maxTransactionBytes) return { found, last: key };
  }
  return { found, last: undefined };
}
