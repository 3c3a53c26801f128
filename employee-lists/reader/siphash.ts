let key0: u64 = 0;
let key1: u64 = 0;

/** A secret of this installation, so that callers cannot choose colliding texts. */
export function setHashKey(first: u64, second: u64): void {
  key0 = first;
  key1 = second;
}

let v0: u64 = 0;
let v1: u64 = 0;
let v2: u64 = 0;
let v3: u64 = 0;

function round(): void {
  let a = v0 + v1;
  let b = rotl(v1, 13) ^ a;
  a = rotl(a, 32);
  let c = v2 + v3;
  let d = rotl(v3, 16) ^ c;
  a += d;
  d = rotl(d, 21) ^ a;
  c += b;
  b = rotl(b, 17) ^ c;
  v0 = a;
  v1 = b;
  v2 = rotl(c, 32);
  v3 = d;
}

function absorb(word: u64): void {
  v3 ^= word;
  round();
  v0 ^= word;
}

/** SipHash-1-3. */
export function hashOf(start: usize, length: usize): u64 {
  absorbText(start, length, 0);
  v2 ^= 0xff;
  return finished();
}

/** SipHash-1-3 with 128 bits, of which 96 are stored: treated as unique per text. */
export function storeHash(to: usize, start: usize, length: usize): void {
  absorbText(start, length, 0xee);
  v2 ^= 0xee;
  store<u64>(to, finished());
  v1 ^= 0xdd;
  store<u32>(to, <u32>finished(), 8);
}

function absorbText(start: usize, length: usize, variant: u64): void {
  v0 = key0 ^ 0x736f6d6570736575;
  v1 = key1 ^ 0x646f72616e646f6d ^ variant;
  v2 = key0 ^ 0x6c7967656e657261;
  v3 = key1 ^ 0x7465646279746573;
  const whole = length & ~7;
  for (let i: usize = 0; i < whole; i += 8) absorb(load<u64>(start + i));
  const left = length & 7;
  const rest = left == 0 ? 0 : load<u64>(start + whole) & (~(<u64>0) >> (<u64>(64 - left * 8)));
  absorb(((<u64>length) << 56) | rest);
}

function finished(): u64 {
  round();
  round();
  round();
  return v0 ^ v1 ^ v2 ^ v3;
}
