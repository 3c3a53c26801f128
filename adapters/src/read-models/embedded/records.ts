/**
 * A document as it is stored: whether it is there (1) or was removed (0), the revision in 6 bytes, for one that is there the
 * number of indexes it stands in, of each its place among the declared ones, the length of its numbers and these as in a
 * key, and then the value.
 */
const REVISION_AT = 1;
const ENTRIES_AT = 7;
const ENTRY_HEAD = 2;

/** A larger one has a buffer of its own. */
const SCRATCH_BYTES = 1024 * 1024;

/** Under which numbers a document stands in an index. */
export interface Entry {
  /** Its place among the indexes that the collection declares. */
  readonly index: number;
  /** As they stand in a key. */
  readonly numbers: Uint8Array;
}

export const revisionIn = (record: Buffer): number =>
  record.readUIntBE(REVISION_AT, ENTRIES_AT - REVISION_AT);

export const isLive = (record: Buffer): boolean => record[0] === 1;

/** Views of the record. */
export function entriesIn(record: Buffer): Entry[] {
  const entries: Entry[] = [];
  if (!isLive(record)) return entries;
  let at = ENTRIES_AT + 1;
  for (let left = byteAt(record, ENTRIES_AT); left > 0; left -= 1) {
    const begin = at + ENTRY_HEAD;
    const end = begin + byteAt(record, at + 1);
    entries.push({ index: byteAt(record, at), numbers: record.subarray(begin, end) });
    at = end;
  }
  return entries;
}

/** A view of the record; undefined of a document that was removed. */
export function valueIn(record: Buffer): Buffer | undefined {
  if (!isLive(record)) return undefined;
  let at = ENTRIES_AT + 1;
  for (let left = byteAt(record, ENTRIES_AT); left > 0; left -= 1) at += ENTRY_HEAD + byteAt(record, at + 1);
  return record.subarray(at);
}

/** Makes records in memory that is used again: each is to be stored before the next is made. */
export class RecordMaker {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  removed(revision: number): Buffer {
    return this.#begin(ENTRIES_AT, 0, revision);
  }

  live(revision: number, entries: readonly Entry[], value: Uint8Array): Buffer {
    const head = entries.reduce((sum, { numbers }) => sum + ENTRY_HEAD + numbers.length, ENTRIES_AT + 1);
    const record = this.#begin(head + value.length, 1, revision);
    record[ENTRIES_AT] = entries.length;
    let at = ENTRIES_AT + 1;
    for (const { index, numbers } of entries) {
      record[at] = index;
      record[at + 1] = numbers.length;
      record.set(numbers, at + ENTRY_HEAD);
      at += ENTRY_HEAD + numbers.length;
    }
    // A copy: the store takes no shared memory.
    record.set(value, at);
    return record;
  }

  #begin(size: number, live: number, revision: number): Buffer {
    const record = size > SCRATCH_BYTES ? Buffer.allocUnsafeSlow(size) : this.#scratch.subarray(0, size);
    record[0] = live;
    record.writeUIntBE(revision, REVISION_AT, ENTRIES_AT - REVISION_AT);
    return record;
  }
}

const byteAt = (record: Buffer, at: number): number => record[at] ?? 0;
