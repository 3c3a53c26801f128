/* SHA-256 of many short messages: each of a vector's four lanes works at its own, and takes the next one when done. */

/** Round constants and initial state, each word in all four lanes. */
const constants: usize = memory.data(1_024, 16);
const state: usize = memory.data(128, 16);
const schedule: usize = memory.data(1_024, 16);
const initial = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);
const rounds = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

/** Queued messages: address, blocks left, target of the digest's first half. */
const jobs: usize = memory.data(24_576, 16);
const jobBytes: usize = 12;
const mostJobs: u32 = 2_048;
let jobCount: u32 = 0;
let nextJob: u32 = 0;

const texts: usize = memory.data(81_920, 16);
const longestText: usize = 14_336;
const endOfTexts: usize = texts + 81_920;
let nextText: usize = texts;

/** Per lane: next block, blocks left, target of the digest. */
const lanes: usize = memory.data(48, 16);
const nothing: usize = memory.data(64, 16);

export function setUpHash(): void {
  for (let i: usize = 0; i < 64; i++) v128.store(constants + i * 16, v128.load32_splat(rounds + i * 4));
}

/** Where to write the next message, at most 14,336 bytes. */
export function messageStart(): usize {
  if (nextText + longestText > endOfTexts || jobCount == mostJobs) digestAll();
  return nextText;
}

/** Queues the text from `messageStart` to `end`. The first 16 bytes of its digest are there after `digestAll`. */
export function addMessage(end: usize, digest: usize): void {
  const length = end - nextText;
  const blocks = (length + 72) >> 6;
  const behind = nextText + (blocks << 6);
  store<u8>(end, 0x80);
  for (let at = end + 1; at < behind; at += 16) v128.store(at, i8x16.splat(0));
  store<u32>(behind - 4, bswap(<u32>(length << 3)));
  const job = jobs + <usize>jobCount * jobBytes;
  store<u32>(job, <u32>nextText);
  store<u32>(job, <u32>blocks, 4);
  store<u32>(job, <u32>digest, 8);
  jobCount++;
  nextText = behind;
}

export function digestAll(): void {
  nextJob = 0;
  memory.fill(lanes, 0, 48);
  while (fillLanes()) {
    prepare(load<u32>(lanes), load<u32>(lanes, 12), load<u32>(lanes, 24), load<u32>(lanes, 36));
    compress();
    for (let lane: usize = 0; lane < 4; lane++) advance(lanes + lane * 12, lane);
  }
  jobCount = 0;
  nextText = texts;
}

function fillLanes(): bool {
  let isBusy = false;
  for (let lane: usize = 0; lane < 4; lane++) {
    const place = lanes + lane * 12;
    if (load<u32>(place, 4) == 0) startNext(place, lane);
    if (load<u32>(place, 4) != 0) isBusy = true;
  }
  return isBusy;
}

function startNext(place: usize, lane: usize): void {
  if (nextJob == jobCount) {
    store<u32>(place, <u32>nothing);
    return;
  }
  const job = jobs + <usize>nextJob * jobBytes;
  nextJob++;
  store<u64>(place, load<u64>(job));
  store<u32>(place, load<u32>(job, 8), 8);
  for (let word: usize = 0; word < 8; word++)
    store<u32>(state + word * 16 + lane * 4, load<u32>(initial + word * 4));
}

function advance(place: usize, lane: usize): void {
  const left = load<u32>(place, 4);
  if (left == 0) return;
  store<u32>(place, load<u32>(place) + 64);
  store<u32>(place, left - 1, 4);
  if (left > 1) return;
  const digest: usize = load<u32>(place, 8);
  for (let word: usize = 0; word < 4; word++)
    store<u32>(digest + word * 4, load<u32>(state + word * 16 + lane * 4));
}

function prepare(a: usize, b: usize, c: usize, d: usize): void {
  for (let i: usize = 0; i < 64; i += 16)
    prepareFour(schedule + i * 4, v128.load(a + i), v128.load(b + i), v128.load(c + i), v128.load(d + i));
  for (let at = schedule + 256; at < schedule + 1_024; at += 16) {
    const sum = i32x4.add(
      i32x4.add(v128.load(at - 256), v128.load(at - 112)),
      small(v128.load(at - 240), 7, 18, 3),
    );
    v128.store(at, i32x4.add(sum, small(v128.load(at - 32), 17, 19, 10)));
  }
}

function prepareFour(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const ab2 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const cd2 = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(to, swapped(v128.shuffle<i64>(ab, cd, 0, 2)));
  v128.store(to, swapped(v128.shuffle<i64>(ab, cd, 1, 3)), 16);
  v128.store(to, swapped(v128.shuffle<i64>(ab2, cd2, 0, 2)), 32);
  v128.store(to, swapped(v128.shuffle<i64>(ab2, cd2, 1, 3)), 48);
}

function swapped(words: v128): v128 {
  return v128.shuffle<i8>(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

function rotated(words: v128, bits: i32): v128 {
  return v128.or(i32x4.shr_u(words, bits), i32x4.shl(words, 32 - bits));
}

function small(words: v128, first: i32, second: i32, shift: i32): v128 {
  return v128.xor(v128.xor(rotated(words, first), rotated(words, second)), i32x4.shr_u(words, shift));
}

function large(words: v128, first: i32, second: i32, third: i32): v128 {
  return v128.xor(v128.xor(rotated(words, first), rotated(words, second)), rotated(words, third));
}

function first(h: v128, e: v128, f: v128, g: v128): v128 {
  const choice = v128.xor(g, v128.and(e, v128.xor(f, g)));
  return i32x4.add(i32x4.add(h, choice), large(e, 6, 11, 25));
}

function second(a: v128, b: v128, c: v128): v128 {
  const majority = v128.xor(v128.and(a, v128.xor(b, c)), v128.and(b, c));
  return i32x4.add(majority, large(a, 2, 13, 22));
}

function input(i: usize): v128 {
  return i32x4.add(v128.load(schedule + i), v128.load(constants + i));
}

function compress(): void {
  let a = v128.load(state);
  let b = v128.load(state, 16);
  let c = v128.load(state, 32);
  let d = v128.load(state, 48);
  let e = v128.load(state, 64);
  let f = v128.load(state, 80);
  let g = v128.load(state, 96);
  let h = v128.load(state, 112);
  for (let i: usize = 0; i < 1_024; i += 64) {
    h = i32x4.add(first(h, e, f, g), input(i));
    d = i32x4.add(d, h);
    h = i32x4.add(h, second(a, b, c));
    g = i32x4.add(first(g, d, e, f), input(i + 16));
    c = i32x4.add(c, g);
    g = i32x4.add(g, second(h, a, b));
    f = i32x4.add(first(f, c, d, e), input(i + 32));
    b = i32x4.add(b, f);
    f = i32x4.add(f, second(g, h, a));
    e = i32x4.add(first(e, b, c, d), input(i + 48));
    a = i32x4.add(a, e);
    e = i32x4.add(e, second(f, g, h));
    // Four rounds on, each word stands four places further.
    const oldA = a;
    const oldB = b;
    const oldC = c;
    const oldD = d;
    a = e;
    b = f;
    c = g;
    d = h;
    e = oldA;
    f = oldB;
    g = oldC;
    h = oldD;
  }
  addTo(0, a, b, c, d);
  addTo(64, e, f, g, h);
}

function addTo(offset: usize, a: v128, b: v128, c: v128, d: v128): void {
  const place = state + offset;
  v128.store(place, i32x4.add(v128.load(place), a));
  v128.store(place, i32x4.add(v128.load(place, 16), b), 16);
  v128.store(place, i32x4.add(v128.load(place, 32), c), 32);
  v128.store(place, i32x4.add(v128.load(place, 48), d), 48);
}
