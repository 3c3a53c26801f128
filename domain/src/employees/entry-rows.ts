import { pieceBytes, type ReaderModule, takeModule, giveBack } from './reader-module.js';
import type { EntryDigests } from './set-state.js';

/** Rows of new or changed employees that follow one another. Valid for as long as the call that hands them out. */
export interface EntryRows {
  readonly numbers: ArrayLike<number>;
  /** Where each row ends in `text`. */
  readonly ends: ArrayLike<number>;
  /** JSON text: elements of GET employees but for what all end with, one behind the other. */
  readonly text: Uint8Array;
  /** The EmployeeID, NUL, the number: sorts as the EmployeeID does, because NUL is in none and before every character. */
  readonly orderKeys: readonly string[];
  /** When each is invited, if it is: ISO 8601. */
  readonly dues: readonly (string | undefined)[];
}

/** What is looked at first: one entry fits into it, and where none is settled little is copied in vain. */
const firstPieceBytes = 16 * 1024;
const comma = 0x2c;

/**
 * Makes rows of the entries of an `EmployeeSetReplaced` that begin at `start`, as long as they are whole and in the form that their
 * reader settles. Behind the last of them; `start` where there are none.
 */
export function readEntryRows(
  { bytes, start }: { readonly bytes: Uint8Array; readonly start: number },
  kind: 'added' | 'changed',
  take: (rows: EntryRows, digests: EntryDigests) => void,
): number {
  const module = takeModule();
  try {
    let end = start;
    for (let next = start, size = firstPieceBytes; ; next = end + 1, size = pieceBytes) {
      const piece = bytes.subarray(next, next + size);
      module.bytes.set(piece, module.calls.window.value);
      const taken = module.calls.putRows(piece.length, Number(kind === 'added'));
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
  const keys = calls.orderKeys.value;
  return {
    numbers,
    ends,
    text: bytes.subarray(calls.output.value, calls.output.value + calls.outputLength()),
    orderKeys: bytes.toString('utf8', keys, keys + calls.orderKeysLength()).split('\0\0'),
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

/** Nearly all of a list are due at the same moment. */
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
