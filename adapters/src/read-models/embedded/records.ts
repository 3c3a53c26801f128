/**
 * A stored document: present (1) or removed (0), then the revision in 6 bytes. If present: the number of index entries; for
 * each the index's number, the length of its numbers, and these as in a key; then the value.
 */
const REVISION_AT = 1;
const ENTRIES_AT = 7;
const ENTRY_HEAD = 2;

const SCRATCH_BYTES = 1024 * 1024;

export interface Entry {
  readonly index: number;
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

/** A view; undefined for a removed document. */
export function valueIn(record: Buffer): Buffer | undefined {
  if (!isLive(record)) return undefined;
  let at = ENTRIES_AT + 1;
  for (let left = byteAt(record, ENTRIES_AT); left > 0; left -= 1) at += ENTRY_HEAD + byteAt(record, at + 1);
  return record.subarray(at);
}

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
    // The store takes no shared memory.
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
