import { readDecided, unknownCount } from './element';
import { endWindow, heldDateLength, longestDate, putRow } from './entries';
import { eightOf, isSame, longestElement, window } from './memory';
import { beginOutput, outputLength } from './output';
import { isDigit } from './scalar';

export let rowCount: u32 = 0;
const mostRows: u32 = 1_024;

/** Per row: number, digests (four words each), end in the output, address of its due time in the window (0: none). */
export const rowNumbers: usize = memory.data(8_192, 16);
export const rowIdDigests: usize = memory.data(16_384, 16);
export const rowDigests: usize = memory.data(16_384, 16);
export const rowEnds: usize = memory.data(4_096, 16);
export const rowDues: usize = memory.data(4_096, 16);

const digestLength: usize = 32;
const mostDigits: usize = 15;

/** The head of the last entry. Equal due times in sequence share the first one's address. */
let entryNumber: u64 = 0;
let idDigestStart: usize = 0;
let digestStart: usize = 0;
let isDue: bool = false;
let dueStart: usize = 0;
let dueEnd: usize = 0;

/** Writes rows for the consecutive entries at the beginning of the window. 0 if the first one is not settled here. */
export function putRows(length: usize, isAdded: bool): usize {
  endWindow(length);
  beginOutput();
  rowCount = 0;
  dueStart = 0;
  let at = window;
  let taken: usize = 0;
  while (rowCount < mostRows) {
    const behind = readEntry(at, window + length, isAdded);
    if (behind == 0) break;
    taken = behind - window;
    addRow();
    if (load<u8>(behind) != 0x2c) break;
    at = behind + 1;
  }
  return taken;
}

function readEntry(at: usize, end: usize, isAdded: bool): usize {
  const values = isAdded ? behindAddedHead(at) : behindChangedHead(at);
  // A head that is cut off may go on in what lay there before.
  if (values == 0 || values >= end || !readDigests(isAdded)) return 0;
  const behind = readDecided(values);
  if (behind == 0 || behind - values > longestElement || unknownCount > 0) return 0;
  if (heldDateLength() > longestDate) return 0;
  return load<u8>(behind) == 0x7d ? behind + 1 : 0;
}

function behindChangedHead(at: usize): usize {
  isDue = false;
  const digest = after(behindNumber(at), ',"digest":"');
  digestStart = digest;
  return digest == 0 ? 0 : after(digest + digestLength, '","values":');
}

function behindAddedHead(at: usize): usize {
  const ids = after(behindNumber(at), ',"idDigest":"');
  const digest = ids == 0 ? 0 : after(ids + digestLength, '","digest":"');
  idDigestStart = ids;
  digestStart = digest;
  const due = digest == 0 ? 0 : after(digest + digestLength, '","invitationDue":');
  if (due == 0) return 0;
  isDue = load<u8>(due) == 0x22;
  return isDue ? behindDue(due + 1) : after(due, 'null,"values":');
}

function readDigests(isAdded: bool): bool {
  const place = (<usize>rowCount) << 4;
  return (
    (!isAdded || readHex(idDigestStart, rowIdDigests + place)) && readHex(digestStart, rowDigests + place)
  );
}

/** Two words at a time, without branches: digits of a digest defeat branch prediction. */
function readHex(start: usize, words: usize): bool {
  for (let at: usize = 0; at < digestLength; at += 16) {
    const bytes = v128.load(start + at);
    const digits = i8x16.sub(bytes, i8x16.splat(0x30));
    const letters = i8x16.sub(bytes, i8x16.splat(0x61));
    const isDigit = i8x16.lt_u(digits, i8x16.splat(10));
    const isLetter = i8x16.lt_u(letters, i8x16.splat(6));
    if (!i8x16.all_true(v128.or(isDigit, isLetter))) return false;
    const values = v128.bitselect(digits, i8x16.add(letters, i8x16.splat(10)), isDigit);
    const high = i8x16.swizzle(values, i8x16(6, 4, 2, 0, 14, 12, 10, 8, -1, -1, -1, -1, -1, -1, -1, -1));
    const low = i8x16.swizzle(values, i8x16(7, 5, 3, 1, 15, 13, 11, 9, -1, -1, -1, -1, -1, -1, -1, -1));
    store<u64>(words + (at >> 1), i64x2.extract_lane(v128.or(i8x16.shl(high, 4), low), 0));
  }
  return true;
}

function behindNumber(at: usize): usize {
  const start = after(at, '{"number":');
  if (start == 0 || load<u8>(start) == 0x30) return 0;
  entryNumber = 0;
  let end = start;
  for (; isDigit(load<u8>(end)); end++) entryNumber = entryNumber * 10 + load<u8>(end) - 0x30;
  return end - start <= mostDigits ? end : 0;
}

function behindDue(start: usize): usize {
  let end = start;
  while (load<u8>(end) >= 0x20 && load<u8>(end) != 0x22) end++;
  if (dueStart == 0 || !isSame(start, end, dueStart, dueEnd)) {
    dueStart = start;
    dueEnd = end;
  }
  return after(end, '","values":');
}

/** 0 also if `at` is 0. */
function after(at: usize, text: string): usize {
  if (at == 0) return 0;
  for (let i = 0; i < text.length; i += 8) {
    const unlike = load<u64>(at + i) ^ eightOf(text, i);
    const rest = text.length - i;
    if ((rest < 8 ? unlike << (64 - (rest << 3)) : unlike) != 0) return 0;
  }
  return at + text.length;
}

function addRow(): void {
  const place = (<usize>rowCount) << 2;
  rowCount++;
  putRow(entryNumber);
  store<f64>(rowNumbers + place * 2, <f64>entryNumber);
  store<u32>(rowEnds + place, <u32>outputLength());
  store<u32>(rowDues + place, isDue ? <u32>dueStart : 0);
}
