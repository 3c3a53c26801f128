import { BLOCK_ROWS, BlockBuilder, blockOf, evolveRows, rowOf, rowsOf } from '@rollcall/application';
import fc from 'fast-check';
import t from 'tap';
import { scale, seed } from '../support/scale.js';
import { encodeRows } from '../support/encode-rows.js';

const index = 3;
const firstOfBlock = (block: number): number => block * BLOCK_ROWS;
const rows = fc.array(
  fc.tuple(
    fc.nat(BLOCK_ROWS - 1),
    fc.option(fc.uint8Array({ minLength: 1, maxLength: 20 }), { nil: undefined }),
  ),
  { maxLength: 40 },
);

t.test('a block is what its changes left of it, whatever came before', (t) => {
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 5 }), (events) => {
      const model = new Map<number, string>();
      let block: Uint8Array | undefined;
      for (const event of events) {
        const changes = new Map(event.map(([slot, row]) => [firstOfBlock(index) + slot, row]));
        for (const [number, row] of changes) {
          if (row === undefined) model.delete(number);
          else model.set(number, String(row));
        }
        block = evolveRows(block, changes);
      }
      const sorted = [...model].sort(([one], [other]) => one - other);
      const found = block === undefined ? [] : [...rowsOf(block, index)];
      t.strictSame(
        found.map(({ number, row }) => [number, String(row)]),
        sorted,
      );
      if (block === undefined) return;
      for (let slot = 0; slot < BLOCK_ROWS; slot += 1) {
        const number = firstOfBlock(index) + slot;
        const row = rowOf(block, number);
        t.equal(row && String(row), model.get(number));
      }
    }),
    { numRuns: Math.ceil(500 * scale), seed },
  );
  t.end();
});

t.test('a block is the same where it grows beyond the expected rows', (t) => {
  const built = (bytes: number) => {
    const builder = new BlockBuilder(bytes);
    for (let slot = 0; slot < BLOCK_ROWS; slot += 2)
      builder.add(firstOfBlock(index) + slot, Buffer.alloc(50, slot + 1));
    return Buffer.from(builder.finish() ?? []);
  };
  t.ok(built(100).equals(built(50 * BLOCK_ROWS)));
  t.end();
});

t.test('rows are slices of the block, and a block is only as long as it must be', (t) => {
  const row = Buffer.from('{"Id":1}');
  const block = encodeRows([{ number: BLOCK_ROWS + 1, row }]);
  t.ok(block !== undefined);
  if (block === undefined) {
    t.end();
    return;
  }
  t.equal(rowOf(block, BLOCK_ROWS + 1)?.buffer, block.buffer);
  t.equal(block.length, 3 * 4 + row.length);
  t.equal(blockOf(BLOCK_ROWS + 1), 1);
  t.equal(encodeRows([]), undefined);
  t.throws(() => encodeRows([2, 1].map((number) => ({ number, row }))), /do not rise/);
  t.end();
});
