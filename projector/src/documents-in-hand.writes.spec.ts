import {
  type BlockPlace,
  type DocumentWrite,
  evolveRows,
  ReadModelsUnavailable,
  rowOf,
} from '@rollcall/application/read';
import tap from 'tap';
import { placeOf, type DocumentChange, type GroupedChange } from './document-changes.js';
import { DocumentsInHand } from './documents-in-hand.js';
import { LaterRows } from './projections/employee-blocks.js';

type Store = ConstructorParameters<typeof DocumentsInHand>[0];
type Stages = Parameters<Store['write']>[0];

const collection = 'employee-blocks';
const put = (number: number, revision = 5, bytes = 40): DocumentWrite => ({
  ...{ op: 'put', collection, key: [7, number], revision },
  value: new Uint8Array(bytes),
});

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Each write waits until it is ended, in any order. */
function storeOf(given: Partial<Store> = {}) {
  const begun: { readonly keys: string[]; readonly end: (error?: Error) => void }[] = [];
  const write = (stages: Stages): Promise<void> =>
    new Promise((resolve, reject) => {
      const keys = stages.flat().map(({ key }) => key.join());
      begun.push({ keys, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  const store: Store = {
    newest: (_collection, keys) => Promise.resolve(keys.map(() => undefined)),
    getMany: () => Promise.reject(new Error('nothing is read')),
    write,
    ...given,
  };
  return { store, write, begun, keys: () => begun.map((one) => one.keys) };
}

tap.test('one write follows the other, the last one with the checkpoint', async (t) => {
  const { store, write, begun, keys } = storeOf();
  const documents = new DocumentsInHand(store, 100);
  for (const number of [1, 2, 3]) documents.set(put(number));
  await documents.makeRoom();
  for (const number of [4, 5, 6]) documents.set(put(number));
  const room = documents.makeRoom();
  await turns();
  t.equal(begun.length, 1, 'two batches are held at most');
  begun[0]?.end();
  await room;
  documents.set(put(7));
  const last: Stages[] = [];
  const finished = documents.finish((stages) => (last.push(stages), write(stages)));
  await turns();
  t.strictSame(
    [keys(), last],
    [
      [
        ['7,1', '7,2', '7,3'],
        ['7,4', '7,5', '7,6'],
      ],
      [],
    ],
  );
  begun[1]?.end();
  await turns();
  t.strictSame([keys().slice(2), last.length], [[['7,7']], 1]);
  begun[2]?.end();
  await finished;
});

tap.test('a write that fails is reported by the next call, and ends with its batch', async (t) => {
  const { store, begun } = storeOf();
  const documents = new DocumentsInHand(store, 100);
  documents.set(put(1, 5, 200));
  await documents.makeRoom();
  let isSettled = false;
  const settled = documents.settled().then(() => (isSettled = true));
  await turns();
  t.equal(isSettled, false, 'it is still being written');
  begun[0]?.end(new ReadModelsUnavailable('away'));
  await turns();
  await settled;
  documents.set(put(2));
  let isCommitted = false;
  const last = (): Promise<void> => Promise.resolve(void (isCommitted = true));
  await t.rejects(documents.finish(last), ReadModelsUnavailable);
  t.equal(isCommitted, false);
  const away = (): Promise<void> => Promise.reject(new ReadModelsUnavailable('away'));
  const others = new DocumentsInHand({ ...store, write: away }, 100);
  others.set(put(1, 5, 200));
  await others.makeRoom();
  await turns();
  await t.rejects(others.finish(), ReadModelsUnavailable, 'also where it failed before');
});

const stored = evolveRows(undefined, new Map([[1, Buffer.from('stored')]]));
const rowChange = (from: BlockPlace, to: BlockPlace, row: string, block = 0): LaterRows =>
  new LaterRows({
    ...{ companyId: 7, block, from, to },
    rows: new Map([[2, { row: Buffer.from(row), isChanged: false }]]),
  });

/** Blocks whose bytes are overwritten once they have been taken. */
const overwritten: Store['getMany'] = (_collection, keys, take) =>
  Promise.resolve(
    keys.map((_key, at) => {
      const value = Uint8Array.from(stored);
      const taken = take(value, at);
      value.fill(0xff);
      return taken;
    }),
  );

const longRow = 'x'.repeat(100_000);

const textIn = (block: Uint8Array, number: number): string => new TextDecoder().decode(rowOf(block, number));

/** 200 blocks of 100 KB. */
function changeMany(documents: DocumentsInHand): void {
  for (let block = 0; block < 200; block += 1) documents.changeLater(rowChange([4], [5], longRow, block));
}

tap.test('more blocks than are held at once: the checkpoint moves with the last of them', async (t) => {
  const sizes: number[] = [];
  const values: Uint8Array[] = [];
  const freed: number[] = [];
  const take = (stages: Stages): void => {
    const batch = stages.flat().flatMap((one) => (one.op === 'put' ? one.value : []));
    const rows = batch.flatMap((value) => [1, 2].map((number) => textIn(value, number)));
    t.strictSame([...new Set(rows)], ['stored', longRow], 'what was taken, and the change');
    sizes.push(batch.length);
    values.push(...batch);
    freed.push(values.filter(({ byteLength }) => byteLength === 0).length);
  };
  const { store } = storeOf({
    getMany: overwritten,
    write: async (stages) => (take(stages), turns(2)),
  });
  const documents = new DocumentsInHand(store, Infinity);
  changeMany(documents);
  const committed: number[] = [];
  await documents.finish((stages) => {
    committed.push(values.length);
    return Promise.resolve(take(stages));
  });
  t.strictSame([sizes, committed], [[64, 64, 64, 8], [192]]);
  t.strictSame(freed, [0, 64, 128, 192], 'what was written before is free');
});

tap.test('a write that fails while blocks are read ends them, and moves no checkpoint', async (t) => {
  const { store } = storeOf({
    getMany: async (...given) => (await turns(3), overwritten(...given)),
    write: () => Promise.reject(new ReadModelsUnavailable('away')),
  });
  const documents = new DocumentsInHand(store, Infinity);
  changeMany(documents);
  let isCommitted = false;
  const last = (): Promise<void> => Promise.resolve(void (isCommitted = true));
  await t.rejects(documents.finish(last), ReadModelsUnavailable);
  t.equal(isCommitted, false);
});

tap.test('what cannot be read is reported once nothing is being written', async (t) => {
  let reads = 0;
  const { store, begun } = storeOf({
    getMany: (...given) =>
      (reads += 1) === 1 ? overwritten(...given) : Promise.reject(new RangeError('it cannot be read')),
  });
  const documents = new DocumentsInHand(store, Infinity);
  changeMany(documents);
  let isOver = false;
  const finished = documents.finish().finally(() => (isOver = true));
  const rejected = t.rejects(finished, RangeError);
  await turns();
  t.strictSame([reads, begun.length, isOver], [2, 1, false]);
  begun[0]?.end();
  await rejected;
  t.equal(reads, 2, 'less at a time is read only of a slow store');
});

tap.test(
  'a block that is made in hand is changed there, and its memory is free once it is written',
  async (t) => {
    const { store, begun, keys } = storeOf();
    const documents = new DocumentsInHand(store, Infinity);
    const block = Uint8Array.from(stored);
    documents.set({ op: 'put', collection, key: [7, 0, 5], revision: 5, value: block }, block.buffer);
    documents.changeLater(rowChange([5], [5, 6, 1], 'six'));
    documents.changeLater(rowChange([5, 6, 1], [7], 'seven'));
    const finished = documents.finish();
    await turns();
    t.strictSame(keys(), [['7,0,5', '7,0,6', '7,0,7']]);
    t.not(block.byteLength, 0);
    begun[0]?.end();
    await finished;
    t.equal(block.byteLength, 0);
  },
);

tap.test(
  'changes of loaded documents: none twice, no tombstone of what never was, in one write',
  async (t) => {
    const revisions: Readonly<Record<string, number>> = { '1': 0, '2': 9, '5': 0 };
    const { store, begun } = storeOf({
      newest: (_collection, keys) =>
        Promise.resolve(
          keys.map(([, number]) => {
            const revision = revisions[String(number)];
            return revision === undefined ? undefined : { revision, value: Buffer.from('stored') };
          }),
        ),
    });
    const documents = new DocumentsInHand(store, Infinity);
    const change = (number: number, evolve: DocumentChange['evolve']): GroupedChange => ({
      ...placeOf(collection, [7, number]),
      evolve,
    });
    const seen: unknown[] = [];
    const behind: DocumentChange['evolve'] = (value) => {
      seen.push(value?.toString());
      return { value: Buffer.concat([value ?? Buffer.of(), Buffer.from('+')]) };
    };
    const all = [1, 2, 3].map((number) => change(number, behind));
    await documents.prepare(all);
    documents.apply(all, 5);
    documents.apply(all, 5);
    const removals = [1, 2, 4, 5].map((number) => change(number, () => 'removed'));
    await documents.prepare(removals);
    documents.apply(removals, 6);
    documents.apply([change(3, () => undefined)], 7);
    t.strictSame(seen, ['stored', undefined]);
    let written: Stages = [];
    const finished = documents.finish((stages) => ((written = stages), store.write(stages)));
    await turns();
    t.strictSame(
      written.flat().map(({ op, key, revision }) => [op, key[1], revision]),
      [
        ['remove', 1, 6],
        ['put', 3, 5],
        ['remove', 5, 6],
      ],
    );
    begun[0]?.end();
    await finished;
  },
);

tap.test('objects weigh once; deletions of different companies never meet', async (t) => {
  const { store, begun, keys } = storeOf();
  const documents = new DocumentsInHand(store, 100);
  const object = (companyId: number, revision: number): void =>
    documents.setObject({ collection: 'employee-sets', key: [companyId], revision }, {}, 60);
  object(7, 1);
  object(7, 2);
  t.equal(documents.makeRoom(), undefined);
  const remove = (companyId: number, from: number, to: number): void =>
    documents.delete({ op: 'delete-to', collection, key: [companyId, 0, to], from, revision: 9 });
  remove(7, 0, 4);
  remove(8, 5, 6);
  remove(7, 3, 4);
  object(8, 3);
  await documents.makeRoom();
  await turns();
  t.strictSame(keys(), [['7', '8', '7,0,4', '8,0,6']]);
  begun[0]?.end();
  await documents.finish();
});

tap.test('an event becomes visible stage by stage, its call behind all else', async (t) => {
  const { store } = storeOf();
  const documents = new DocumentsInHand(store, Infinity);
  const names = [
    'streams',
    'api-calls',
    'invitation-plans',
    'manager-sets',
    'employee-sets',
    'manager-users',
  ];
  for (const name of names) documents.set({ ...put(1), collection: name });
  documents.delete({ op: 'delete-to', collection, key: [7, 0, 4], from: 0, revision: 9 });
  let written: Stages = [];
  await documents.finish((stages) => Promise.resolve(void (written = stages)));
  t.strictSame(
    written.map((stage) => stage.map((one) => one.collection)),
    [
      ['manager-users'],
      ['manager-sets', 'employee-sets'],
      ['invitation-plans', collection],
      ['api-calls'],
      ['streams'],
    ],
  );
});
