/**
 * Elements up to this many bytes are read here. Longer ones are left to the rules in full, so that each region has room for
 * whatever one element brings.
 */
export const longestElement: usize = 12_000;

/** Bytes of the list that lie here at a time: what came last, behind an element that has begun. */
export const windowBytes: usize = 81_920;
/** Behind each region there is room, because 16 bytes are looked at and copied at once. */
export const window: usize = memory.data(81_984, 16);

/** Where more room is taken from, behind all that has a fixed place. */
let free: usize = __heap_base;

/** Gives back all that was allocated. */
export function freeAll(): void {
  free = __heap_base;
}

/** Memory that is zero. */
export function allocate(bytes: usize): usize {
  const place = (free + 15) & ~15;
  free = place + bytes;
  const pages = <i32>((free + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  memory.fill(place, 0, bytes);
  return place;
}

/** Copies a text; up to 15 bytes behind it are written too. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Eight characters of an ASCII text, from this one on, a byte each; what comes behind its last one is anything. */
export function eightOf(text: string, index: usize): u64 {
  const units = v128.load(changetype<usize>(text) + (index << 1));
  return i64x2.extract_lane(i8x16.narrow_i16x8_u(units, units), 0);
}

/** The first index at which two texts of this length differ; the length where none does. */
export function firstDifference(a: usize, b: usize, length: usize): usize {
  for (let i: usize = 0; i < length; i += 16) {
    const different = i8x16.bitmask(i8x16.ne(v128.load(a + i), v128.load(b + i)));
    if (different != 0) return min(length, i + ctz(different));
  }
  return length;
}

/** Whether two texts are the same, byte for byte. */
export function isSame(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  const length = aEnd - a;
  return bEnd - b == length && firstDifference(a, b, length) == length;
}
