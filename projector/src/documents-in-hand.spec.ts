import assert from 'node:assert/strict';
import {
  type BlockPlace,
  type DocumentKey,
  type DocumentWrite,
  evolveRows,
  rowOf,
  UnwritableDocument,
} from '@rollcall/application/read';
import tap from 'tap';
import { DocumentsInHand } from './documents-in-hand.js';
import { LaterRows } from './projections/employee-blocks.js';

const mostBytes = 100;

type Store = ConstructorParameters<typeof DocumentsInHand>[0];

/** Reads of a store that has the same value, or nothing, at each key. */
const holding = (value: Uint8Array | undefined): Pick<Store, 'newest' | 'getMany'> => ({
  newest: (_collection, keys) => Promise.resolve(keys.map(() => value && { revision: 1, value })),
  getMany: (_collection, keys, take) => Promise.resolve(keys.map((_key, at) => take(value, at))),
});

/** A store that shows a write once it is let through. */
function slowStore() {
  const stored = new Map<string, DocumentWrite>();
  const writes: (readonly (readonly DocumentWrite[])[])[] = [];
  let letThrough: () => void = () => undefined;
  const store: Store = {
    ...holding(undefined),
    newest: (_collection, keys) =>
      Promise.resolve(
        keys.map((key) => {
          const write = stored.get(key.join());
          return write && { revision: write.revision, value: 'value' in write ? write.value : undefined };
        }),
      ),
    write: async (stages) => {
      writes.push(stages);
      await new Promise<void>((resolve) => (letThrough = resolve));
      for (const write of stages.flat()) stored.set(write.key.join(), write);
    },
  };
  return { store, writes, letThrough: () => letThrough() };
}

const put = (documents: DocumentsInHand, number: number, revision: number): void =>
  documents.set({
    op: 'put',
    collection: 'employee-blocks',
    key: [7, number],
    revision,
    value: new Uint8Array(40),
  });

tap.test('a batch holds no more than it may, and reads what it has written early', async (t) => {
  const { store, writes, letThrough } = slowStore();
  const documents = new DocumentsInHand(store, mostBytes);
  for (const number of [1, 2]) {
    put(documents, number, 5);
    await documents.makeRoom();
  }
  put(documents, 2, 6);
  await documents.makeRoom();
  t.equal(writes.length, 0, 'a document that changes once more does not weigh twice');
  put(documents, 3, 6);
  await documents.makeRoom();
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(
    writes[0]?.flat().map(({ key, revision }) => [key[1], revision]),
    [
      [1, 5],
      [2, 6],
      [3, 6],
    ],
  );
  put(documents, 4, 7);
  const keys: readonly DocumentKey[] = [
    [7, 4],
    [7, 2],
    [7, 9],
  ];
  const reading = Promise.all(keys.map(async (key) => documents.read('employee-blocks', key)));
  letThrough();
  t.strictSame(
    (await reading).map(({ revision }) => revision),
    [7, 6, -1],
    'in hand, written meanwhile, nowhere',
  );
  const finished = documents.finish();
  await new Promise((resolve) => setImmediate(resolve));
  letThrough();
  await finished;
  assert.equal(writes[1]?.flat().length, 1);
});

const text = (value: string): Uint8Array => Buffer.from(value);
const rowIn = (write: DocumentWrite | undefined, number: number): string | undefined => {
  const row = write?.op === 'put' ? rowOf(write.value, number) : undefined;
  return row && new TextDecoder().decode(row);
};

/** Rows of block 0 that change, by an event that writes the whole of it or what has changed. */
const rowChange = (from: BlockPlace, to: BlockPlace, rows: Record<number, string>, block = 0): LaterRows =>
  new LaterRows({
    companyId: 7,
    block,
    from,
    to,
    rows: new Map(
      Object.entries(rows).map(([number, row]) => [Number(number), { row: text(row), isChanged: false }]),
    ),
  });

tap.test('a block whose rows several events change is read and written once', async (t) => {
  const writes: DocumentWrite[] = [];
  const stored = evolveRows(undefined, new Map([1, 2, 3].map((number) => [number, text('stored')])));
  const documents = new DocumentsInHand(
    {
      ...holding(stored),
      newest: () => Promise.reject(new Error('what the majority has of a block is the newest')),
      write: (stages) => Promise.resolve(void writes.push(...structuredClone(stages.flat()))),
    },
    mostBytes,
  );
  documents.changeLater(rowChange([4], [5], { 1: 'five', 2: 'five' }));
  documents.changeLater(rowChange([5], [6], { 2: 'six' }));
  t.equal(writes.length, 0);
  await documents.finish();
  const [write, another] = writes;
  t.equal(another, undefined);
  t.strictSame([write?.revision, write?.key], [6, [7, 0, 6]]);
  t.strictSame(
    [1, 2, 3].map((number) => rowIn(write, number)),
    ['five', 'six', 'stored'],
  );
});

tap.test(
  'events that write a block, and what has changed since, leave both as the last of them does',
  async (t) => {
    const stored = evolveRows(undefined, new Map([1, 2, 3].map((number) => [number, text('stored')])));
    const written: unknown[] = [];
    const documents = new DocumentsInHand(
      {
        ...holding(stored),
        write: (stages) =>
          Promise.resolve(
            void written.push(
              ...stages
                .flat()
                .map((write) => [write.key[2], ...[1, 2, 3].map((number) => rowIn(write, number))]),
            ),
          ),
      },
      mostBytes,
    );
    documents.changeLater(rowChange([4], [4, 5, 1], { 1: 'five' }));
    documents.changeLater(rowChange([4, 5, 1], [6], { 2: 'six' }));
    documents.changeLater(rowChange([6], [6, 7, 1], { 3: 'seven' }));
    documents.changeLater(rowChange([6, 7, 1], [6, 8, 2], { 1: 'eight' }));
    await documents.finish();
    t.strictSame(written, [
      [6, 'five', 'six', 'stored'],
      [8, 'eight', undefined, 'seven'],
    ]);
  },
);

tap.test('a block that will be deleted is still what the changes in hand are made of', async (t) => {
  const stored = evolveRows(undefined, new Map([1, 2].map((number) => [number, text('stored')])));
  const writes: DocumentWrite[] = [];
  const documents = new DocumentsInHand(
    {
      ...holding(stored),
      write: (stages) => Promise.resolve(void writes.push(...structuredClone(stages.flat()))),
    },
    mostBytes,
  );
  documents.changeLater(rowChange([4], [5], { 1: 'five' }));
  documents.delete({ op: 'delete-to', collection: 'employee-blocks', key: [7, 0, 4], from: 0, revision: 6 });
  await documents.finish();
  t.strictSame(
    writes.map(({ op }) => op),
    ['put', 'delete-to'],
  );
  t.strictSame(
    [1, 2].map((number) => rowIn(writes[0], number)),
    ['five', 'stored'],
  );
});

tap.test('a block that is gone is not begun anew', async (t) => {
  const store = { ...holding(undefined), write: () => Promise.resolve() };
  const documents = new DocumentsInHand(store, mostBytes);
  documents.changeLater(rowChange([4], [5], { 1: 'row' }));
  await t.rejects(documents.finish(), UnwritableDocument);
});

tap.test('rows that change in a block that is no block can never be written', async (t) => {
  const store = {
    ...holding(new Uint8Array(1)),
    write: () => Promise.resolve(),
  };
  const documents = new DocumentsInHand(store, mostBytes);
  documents.changeLater(rowChange([0], [1], { 1: 'row' }));
  await t.rejects(documents.finish(), UnwritableDocument);
});

tap.test('memory of many blocks is freed only when they are written', async (t) => {
  const blocks = 800;
  // 64 of them do not fit into the memory of the copies.
  const long = 'x'.repeat(40_000);
  const stored = evolveRows(
    undefined,
    new Map([
      [1, text(long)],
      [2, text('stored')],
    ]),
  );
  const written = new Map<number, string | undefined>();
  const places: ArrayBufferLike[] = [];
  const documents = new DocumentsInHand(
    {
      ...holding(stored),
      write: async (stages) => {
        const writes = stages.flat();
        for (const write of writes) if (write.op === 'put') places.push(write.value.buffer);
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        for (const write of writes) written.set(Number(write.key[1]), rowIn(write, 2));
        t.equal(rowIn(writes[0], 1), long, 'what lies around it is what was stored');
      },
    },
    mostBytes,
  );
  for (let block = 0; block < blocks; block += 1)
    documents.changeLater(rowChange([4], [5], { 2: `row of ${block}` }, block));
  await documents.finish();
  t.strictSame(
    [...written].sort(([one], [other]) => one - other),
    Array.from({ length: blocks }, (_, block) => [block, `row of ${block}`]),
  );
  t.equal(places.filter(({ byteLength }) => byteLength === 0).length, blocks);
});

tap.test('an object that several events change is encoded once; deletions that meet are one', async (t) => {
  const writes: DocumentWrite[] = [];
  const documents = new DocumentsInHand(
    {
      ...holding(text('{"n":1}')),
      write: (stages) => Promise.resolve(void writes.push(...stages.flat())),
    },
    mostBytes,
  );
  const collection = 'employee-sets';
  t.strictSame(await documents.readObject(collection, [7]), { n: 1 }, 'what is stored');
  documents.setObject({ collection, key: [7], revision: 2 }, { n: 2 }, 1);
  documents.setObject({ collection, key: [7], revision: 3 }, { n: 3 }, 1);
  t.strictSame(await documents.readObject(collection, [7]), { n: 3 });
  const remove = (block: number, from: number, to: number): void =>
    documents.delete({
      op: 'delete-to',
      collection: 'employee-blocks',
      key: [7, block, to],
      from,
      revision: to,
    });
  remove(0, 0, 4);
  remove(1, 0, 4);
  remove(0, 5, 6);
  remove(0, 8, 9);
  remove(1, 0, 3);
  await documents.finish();
  const [set, ...deletions] = writes;
  t.strictSame(set, { op: 'put', collection, key: [7], revision: 3, value: text('{"n":3}') });
  t.strictSame(
    deletions.map((one) => [...one.key, one.op === 'delete-to' && one.from]),
    [
      [7, 0, 6, 0],
      [7, 0, 9, 8],
      [7, 1, 4, 0],
      [7, 1, 3, 0],
    ],
  );
});
