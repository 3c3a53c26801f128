import { type BlockPlace, evolveRows, rowOf } from '@rollcall/application/read';
import tap from 'tap';
import { LaterRows } from './employee-blocks.js';

tap.test('a changed row keeps the date of the row before it, however events are merged', async (t) => {
  const row = (date: string, name: string): Uint8Array =>
    Buffer.from(`${String.fromCharCode(date.length)}${date}${name}`);
  const change = (to: BlockPlace, changed: Uint8Array, isChanged = true): LaterRows =>
    new LaterRows({
      companyId: 7,
      block: 0,
      from: [4],
      to,
      rows: new Map([[1, { row: changed, isChanged }]]),
    });
  const both = (first: LaterRows, second: LaterRows, stored: Uint8Array): string | undefined => {
    first.add(second);
    const [write] = first.writes([evolveRows(undefined, new Map([[1, stored]]))]);
    const written = write?.op === 'put' ? rowOf(write.value, 1) : undefined;
    return written && Buffer.from(written).toString();
  };
  const dateless = row('', 'x');
  t.equal(
    both(change([5], row('', 'a')), change([6], row('', 'b')), row('D', 'x')),
    '\u0001Db',
    'of the stored one',
  );
  t.equal(
    both(change([4, 5, 1], row('E', 'a')), change([4, 6, 2], row('F', 'b')), dateless),
    '\u0001Eb',
    'the first',
  );
  t.equal(
    both(change([4, 5, 1], row('E', 'a')), change([4, 6, 2], row('F', 'b')), row('D', 'x')),
    '\u0001Db',
  );
  t.equal(
    both(change([4, 5, 1], row('E', 'a'), false), change([4, 6, 2], row('', 'b')), row('D', 'x')),
    '\u0001Eb',
  );
});
