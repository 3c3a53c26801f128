import { windowBytes, type ReaderModule, takeModule, giveBack } from '../list/reader-module.js';
import type { EntryDigests } from './set-state.js';

/** Consecutive rows of new or changed employees. Valid during the call that hands them out. */
export interface EntryRows {
  readonly numbers: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
  /** Rows as `putRow` of `employee-lists/reader/entries.ts` writes them. */
  readonly text: Uint8Array;
  /** Due times of the invitations, ISO 8601. */
  readonly dues: readonly (string | undefined)[];
}

/** Tried first: it holds one entry, and little is copied in vain if none is settled. */
const firstWindowBytes = 16 * 1024;
const comma = 0x2c;

/** Makes rows of the settled entries of an `EmployeeSetReplaced` from `start` on. The end of the last, or `start`. */
export function readEntryRows(
  { bytes, start }: { readonly bytes: Uint8Array; readonly start: number },
  kind: 'added' | 'changed',
  take: (rows: EntryRows, digests: EntryDigests) => void,
): number {
  const module = takeModule();
  try {
    let end = start;
    for (let next = start, size = firstWindowBytes; ; next = end + 1, size = windowBytes) {
      const part = bytes.subarray(next, next + size);
      module.bytes.set(part, module.calls.window.value);
      const taken = module.calls.putRows(part.length, Number(kind === 'added'));
      if (taken === 0) return end;
      take(rowsIn(module), digestsIn(module));
      end = next + taken;
      if (bytes[end] !== comma) return end;
    }
  } finally {
    giveBack(module);
  }
}

function rowsIn(module: ReaderModule): EntryRows {
  const { bytes, calls } = module;
  const count = calls.rowCount.value;
  const { buffer } = bytes;
  const numbers = new Float64Array(buffer, calls.rowNumbers.value, count);
  const ends = new Uint32Array(buffer, calls.rowEnds.value, count);
  return {
    numbers,
    ends,
    text: bytes.subarray(calls.output.value, calls.output.value + calls.outputLength()),
    dues: duesIn(bytes, new Uint32Array(buffer, calls.rowDues.value, count)),
  };
}

function digestsIn({ bytes, calls }: ReaderModule): EntryDigests {
  const { buffer } = bytes;
  const count = calls.rowCount.value;
  return {
    numbers: new Float64Array(buffer, calls.rowNumbers.value, count),
    idDigests: new Uint32Array(buffer, calls.rowIdDigests.value, 4 * count),
    digests: new Uint32Array(buffer, calls.rowDigests.value, 4 * count),
  };
}

/** Nearly all entries of a list share a due time, so equal ones share a string. */
function duesIn(bytes: Buffer, places: Uint32Array): (string | undefined)[] {
  const dues: (string | undefined)[] = [];
  let place = 0;
  let due: string | undefined;
  for (const each of places) {
    if (each !== place)
      due = each === 0 ? undefined : bytes.toString('latin1', each, bytes.indexOf(0x22, each));
    place = each;
    dues.push(due);
  }
  return dues;
}
