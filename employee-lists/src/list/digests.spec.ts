import { DigestTable } from './digests.js';

import tap from 'tap';

/** Digests that share many slots. */
const words = Uint32Array.from({ length: 4_000 }, (_, at) => (at % 4 === 3 ? at % 60 : at));

function filled(from: number, to: number, table = new DigestTable()): DigestTable {
  for (let index = from; index < to; index++) table.insert(words, index * 4);
  return table;
}

const found = (table: DigestTable): number[] =>
  Array.from({ length: words.length / 4 }, (_, index) => table.find(words, index * 4));

tap.test(
  'a copy has the same entries, whatever its room, and neither sees what is inserted in the other',
  (t) => {
    for (const count of [0, 1, 7, 300])
      for (const room of [0, 10, 500, 5_000]) {
        const table = filled(0, count);
        const copy = table.copy(room);
        t.equal(copy.count, count);
        t.strictSame(found(copy), found(table));
        filled(count, count + 20, copy);
        t.strictSame(found(table), found(filled(0, count)));
        filled(500, 600, table);
        t.strictSame(found(copy), found(filled(0, count + 20)));
      }
    t.end();
  },
);
