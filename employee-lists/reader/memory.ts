/** Limit for the stored bytes of an element, and for a held one; regions have room. Longer: the full rules. */
export const longestElement: usize = 12_000;

export const maxElementBytes: usize = 1_048_576;

/** The bytes of the list in memory: the last ones, behind a begun element. */
export const windowBytes: usize = maxElementBytes + 81_920;
/** Every region has spare room, because reads and copies take 16 bytes at a time. */
export const window: usize = memory.data(1_130_560, 16);

/** The free memory behind the fixed regions; from `untouched` on it is still zero. */
let free: usize = __heap_base;
let untouched: usize = __heap_base;

export function freeAll(): void {
  free = __heap_base;
}

/** Zeroed memory. */
export function allocate(bytes: usize): usize {
  const place = (free + 15) & ~15;
  free = place + bytes;
  const pages = <i32>((free + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  if (place < untouched) memory.fill(place, 0, min(bytes, untouched - place));
  untouched = max(untouched, free);
  return place;
}

/** Also overwrites up to 15 bytes behind the copy. */
export function copy(to: usize, from: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
}

/** Eight characters of an ASCII text as bytes; those after its end are undefined. */
export function eightOf(text: string, index: usize): u64 {
  const units = v128.load(changetype<usize>(text) + (index << 1));
  return i64x2.extract_lane(i8x16.narrow_i16x8_u(units, units), 0);
}

/** The first index at which the texts differ, or `length`. */
export function firstDifference(a: usize, b: usize, length: usize): usize {
  for (let i: usize = 0; i < length; i += 16) {
    const different = i8x16.bitmask(i8x16.ne(v128.load(a + i), v128.load(b + i)));
    if (different != 0) return min(length, i + ctz(different));
  }
  return length;
}

export function isAscii(start: usize, end: usize, text: string): bool {
  if (end - start != <usize>text.length) return false;
  for (let i = 0; i < text.length; i++) if (load<u8>(start + i) != text.charCodeAt(i)) return false;
  return true;
}

export function isSame(a: usize, aEnd: usize, b: usize, bEnd: usize): bool {
  const length = aEnd - a;
  return bEnd - b == length && firstDifference(a, b, length) == length;
}
