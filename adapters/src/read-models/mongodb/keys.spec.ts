import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { UnwritableDocument, type DocumentKey } from '@rollcall/application';
import { behindAll, decodeKey, encodeKey } from './keys.js';

const scale = Number(process.env['TEST_SCALE'] ?? '0.1');
const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
const runs = { seed, numRuns: Math.max(2_000, Math.ceil(100_000 * scale)) };

/** Code units next to every border, and any others. */
const unit = fc.oneof(
  fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff),
  fc.integer({ min: 0, max: 0xffff }),
);
const text = fc.array(unit, { maxLength: 5 }).map((units) => String.fromCharCode(...units));
const number = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const key: fc.Arbitrary<DocumentKey> = fc
  .tuple(fc.array(number, { maxLength: 2 }), fc.option(text))
  .map(([numbers, last]) => (last === null ? numbers : [...numbers, last]));

/** The port's order: a shorter key first, then numbers, then text by code unit. */
function inPortOrder(a: DocumentKey, b: DocumentKey): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const [one, other] = [a[at], b[at]];
    if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
    if (one !== other && one !== undefined && other !== undefined) return one < other ? -1 : 1;
  }
  return a.length - b.length;
}

/** As MongoDB compares strings where there is no collation. */
const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

t.test('the bytes of keys are ordered as the keys', async (t) => {
  t.comment(`seed ${seed}`);
  const property = fc.property(key, key, (a, b) => {
    assert.equal(Math.sign(inByteOrder(encodeKey(a), encodeKey(b))), Math.sign(inPortOrder(a, b)));
  });
  t.doesNotThrow(() => fc.assert(property, runs));
});

t.test('a key comes back as it was, and its string holds no NUL and no lone surrogate', async (t) => {
  const property = fc.property(key, (one) => {
    const encoded = encodeKey(one);
    assert.deepEqual(
      decodeKey(encoded),
      one.map((part) => (part === 0 ? 0 : part)),
    );
    assert.equal(Buffer.from(encoded).toString(), encoded);
    assert.ok(!encoded.includes('\0'));
  });
  t.doesNotThrow(() => fc.assert(property, runs));
});

t.test('the keys under numbers lie together', async (t) => {
  const prefix = fc.array(number, { maxLength: 2 });
  const property = fc.property(prefix, key, (numbers, one) => {
    const first = encodeKey(numbers);
    const encoded = encodeKey(one);
    const isUnder = numbers.every((part, at) => one[at] === part);
    const isWithin = inByteOrder(encoded, first) >= 0 && inByteOrder(encoded, behindAll(first)) < 0;
    assert.equal(isWithin, isUnder);
  });
  t.doesNotThrow(() => fc.assert(property, runs));
});

t.test('a key that cannot be written is not repeated', async (t) => {
  for (const bad of [[NaN], [Infinity], [7, 'x'.repeat(4_000)]]) {
    t.throws(() => encodeKey(bad as DocumentKey), UnwritableDocument);
  }
  t.throws(() => encodeKey([7, 'secret'.repeat(1_000)]), { message: /^(?!.*secret)/ });
  t.doesNotThrow(() => encodeKey([7, '\uFFFF'.repeat(970)]), 'whatever the embedded adapter takes');
});
