import assert from 'node:assert/strict';
import {
  BLOCK_ROWS,
  blockOf,
  type BlockPlace,
  blocksCollection,
  type DocumentKey,
  type EmployeeSet,
  type EmployeeSetDocument,
  EmployeeSetReplaced,
  employeeSetsCollection,
  type FoundEmployee,
  noBlock,
  numberOfEmployee,
  type OrderedRows,
  readEmployeeSet,
  readOrderedRows,
  readRowOf,
  REPLACED_KEPT_MS,
  readRows,
  replacedSet,
  setAt,
  setOfDocument,
} from '@rollcall/application';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { encodeRows } from '../support/encode-rows.js';
import { orderedRows } from '../support/ordered-rows.js';

const companyId = 7;
const idOf = (number: number): string => `E${(number * 7919) % 100_000}`;
const rowFor = (number: number): Buffer =>
  Buffer.from(JSON.stringify({ Id: number, EmployeeID: idOf(number), Firstname: 'Ann' }));

/** Employees 1 to `count`. */
async function filled(count: number): Promise<ModelReadModels> {
  const store = new ModelReadModels();
  await write(store, { count, revision: 1 });
  return store;
}

const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** Another set of employees, in blocks of its own. */
async function write(
  store: ModelReadModels,
  { count, revision, row = rowFor }: { count: number; revision: number; row?: typeof rowFor },
): Promise<void> {
  const blocks = Array.from({ length: blockOf(count) + 1 }, (): BlockPlace => [revision]);
  for (const block of blocks.keys()) {
    const own = numbersUpTo(count).filter((number) => blockOf(number) === block);
    const value = encodeRows(
      own.map((number) => ({ number, row: Buffer.concat([Buffer.of(0), row(number)]) })),
    );
    const key = [companyId, block, revision];
    if (value) await store.write([[{ op: 'put', collection: blocksCollection, key, revision, value }]]);
  }
  await replaceSet(store, revision, blocks);
}

async function replaceSet(
  store: ModelReadModels,
  revision: number,
  blocks: readonly BlockPlace[],
): Promise<void> {
  const before = setOfDocument(await store.get(employeeSetsCollection, [companyId]));
  const head = { revision, total: 0, setDigest: '', lastNumber: 0 };
  const value = Buffer.from(JSON.stringify(replacedSet(before, head, blocks, 0)));
  const collection = employeeSetsCollection;
  await store.write([[{ op: 'put', collection, key: [companyId], revision, value }]]);
}

async function all(store: ModelReadModels, options: OrderedRows = {}): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of orderedRows(store, { companyId, ...options }))
    for (const { number, row } of batch) {
      if (rowFor(number).compare(row) !== 0) t.fail('another row');
      found.push(number);
    }
  return found;
}

t.test('all employees in the order of their numbers, and pages of them', async (t) => {
  const store = await filled(12_000);
  t.strictSame(await all(store), numbersUpTo(12_000));
  t.strictSame(await all(store, { limit: 7 }), numbersUpTo(7));
  for (const after of [1, 63, 64, 130, 11_999])
    t.strictSame(await all(store, { after, limit: 250 }), numbersUpTo(12_000).slice(after, after + 250));
  t.strictSame(await all(store, { after: 12_000 }), []);
  t.strictSame(await all(store, { after: Number.MAX_SAFE_INTEGER }), []);
  t.strictSame(await all(new ModelReadModels()), []);
});

t.test('each block is read once, and few for few rows', async (t) => {
  const store = await filled(6_000);
  const reads = new Map<string, number>();
  const getMany = store.getMany.bind(store);
  store.getMany = (collection, keys, take) => {
    if (collection === blocksCollection)
      for (const key of keys) reads.set(key.join(), (reads.get(key.join()) ?? 0) + 1);
    return getMany(collection, keys, take);
  };
  t.strictSame(await all(store), numbersUpTo(6_000));
  t.equal(reads.size, blockOf(6_000) + 1);
  t.ok([...reads.values()].every((times) => times === 1));
  reads.clear();
  t.strictSame(await all(store, { limit: 3 }), [1, 2, 3]);
  t.ok(reads.size <= 2, 'few rows need few blocks');
});

t.test('a page goes on where most employees have left', async (t) => {
  const store = new ModelReadModels();
  const key = (block: number): DocumentKey => [companyId, block, 1];
  const row = (number: number) =>
    encodeRows([{ number, row: Buffer.concat([Buffer.of(0), rowFor(number)]) }]) ?? new Uint8Array();
  for (const [block, value] of [
    [0, row(1)],
    [900, row(900 * BLOCK_ROWS)],
  ] as const)
    await store.write([[{ op: 'put', collection: blocksCollection, key: key(block), revision: 1, value }]]);
  const blocks = Array.from({ length: 901 }, (_, block): BlockPlace => [block % 900 === 0 ? 1 : -1]);
  await replaceSet(store, 1, blocks);
  t.strictSame(await all(store, { limit: 2 }), [1, 900 * BLOCK_ROWS]);
});

const longRow = (number: number): Buffer => Buffer.alloc(200 * 1024, (number % 250) + 1);

t.test('long rows are read in parts that fit into memory', async (t) => {
  const store = new ModelReadModels();
  await write(store, { count: 300, revision: 1, row: longRow });
  const found: number[] = [];
  const memory = new Set<ArrayBufferLike>();
  for await (const batch of orderedRows(store, { companyId }))
    for (const { number, row } of batch) {
      if (longRow(number).compare(row) !== 0) t.fail('another row');
      found.push(number);
      memory.add(row.buffer);
    }
  t.strictSame(found, numbersUpTo(300));
  const most = Math.max(...[...memory].map(({ byteLength }) => byteLength));
  t.ok(most <= 2 * 24 * 1024 * 1024, `${most} bytes at once`);
});

t.test('single employees, by id and by numbers', async (t) => {
  const store = await filled(1_000);
  t.equal(await numberOfEmployee(store, companyId, idOf(500)), 500);
  t.equal(await numberOfEmployee(store, companyId, 'nobody'), undefined);
  t.equal(await numberOfEmployee(store, 8, idOf(500)), undefined);
  const set = await readEmployeeSet(store, companyId);
  assert.ok(set !== undefined);
  const found = async (id: string, newest: FoundEmployee): Promise<number[]> => {
    const numbers: number[] = [];
    for await (const { numberAt } of readRowOf(store, set, id, newest)) numbers.push(numberAt(0));
    return numbers;
  };
  t.strictSame(await found(idOf(500), { number: 500, revision: 1 }), [500]);
  t.strictSame(await found('nobody', { number: undefined, revision: 1 }), []);
  t.strictSame(
    await found(idOf(500), { number: 5_000, revision: 2 }),
    [500],
    'came back since under another',
  );
  t.strictSame(await found(idOf(500), { number: undefined, revision: 2 }), [500], 'has left since');
  t.strictSame(await found('new', { number: 1_001, revision: 2 }), [], 'is not in this set yet');
  t.strictSame(await found('renamed', { number: 500, revision: 2 }), [], 'had another one in this set');
  const wanted = [999, 5_000, 1, 999, 3, 4, 4, 2, 0, 5];
  const rows = await readRows(store, companyId, wanted);
  t.strictSame(
    rows.map((row) => row && Buffer.from(row).toString()),
    wanted.map((number) => (number >= 1 && number <= 1_000 ? rowFor(number).toString() : undefined)),
  );
});

t.test('a set that is replaced while it is read is read to its end, or refused', async (t) => {
  const store = await filled(1_000);
  const first = await readEmployeeSet(store, companyId);
  for (let revision = 2; revision <= 6; revision += 1)
    await write(store, { count: 1_000 + revision, revision });
  const older = await readEmployeeSet(store, companyId, { revision: 1, now: 0 });
  t.strictSame({ ...older, blocks: older?.blocks.slice(0, 16) }, first, 'the same as it was');
  t.strictSame(await numbersIn(store, older), numbersUpTo(1_000));
  const newest = await readEmployeeSet(store, companyId);
  t.strictSame(await readEmployeeSet(store, companyId, { revision: 6, now: REPLACED_KEPT_MS }), newest);
  for (const [revision, now, why] of [
    [7, 0, 'a set to come'],
    [0, 0, 'before the first set'],
    [1, REPLACED_KEPT_MS, 'replaced ten minutes ago'],
  ] as const)
    await t.rejects(readEmployeeSet(store, companyId, { revision, now }), EmployeeSetReplaced, why);
  const key = [companyId, 3, 1];
  await store.write([[{ op: 'delete-to', collection: blocksCollection, key, from: 0, revision: 7 }]]);
  await t.rejects(numbersIn(store, older), EmployeeSetReplaced, 'a part of it is gone');
});

async function numbersIn(store: ModelReadModels, set: EmployeeSet | undefined): Promise<number[]> {
  const found: number[] = [];
  if (set === undefined) return found;
  for await (const { length, numberAt } of readOrderedRows(store, set, {}))
    for (let at = 0; at < length; at += 1) found.push(numberAt(at));
  return found;
}

t.test('held is what the first employees take, also behind blocks of who has left', async (t) => {
  const store = await filled(1_000);
  const set = await readEmployeeSet(store, companyId);
  assert.ok(set !== undefined);
  const blocks = set.blocks.map((place, block) => (block < 2 ? noBlock : place));
  const held: number[] = [];
  const hold = (bytes: number): undefined => void held.push(bytes);
  for await (const { numberAt } of readOrderedRows(store, { ...set, blocks }, { limit: 1, hold }))
    t.ok(numberAt(0) >= 2 * BLOCK_ROWS);
  t.equal(held.length, 1);
  t.ok(Number(held[0]) > BLOCK_ROWS * rowFor(1).length);
});

t.test('a set that is replaced while few rows are read is read anew', async (t) => {
  const store = await filled(1_000);
  const getMany = store.getMany.bind(store);
  let revision = 1;
  store.getMany = async (collection, keys, take) => {
    if (collection === blocksCollection && revision < 4) {
      await write(store, { count: 1_000, revision: (revision += 1) });
      const key = [companyId, 0, revision - 1];
      await store.write([[{ op: 'delete-to', collection, key, from: 0, revision }]]);
    }
    return getMany(collection, keys, take);
  };
  const [row] = await readRows(store, companyId, [1]);
  t.equal(row && Buffer.from(row).toString(), rowFor(1).toString());
});

t.test('what is deleted of replaced sets: the oldest, and what is older than ten minutes', (t) => {
  const head = (revision: number) => ({ revision, total: 0, setDigest: '', lastNumber: 0 });
  const blocksOf = (revision: number) => Array.from({ length: 10 }, (): BlockPlace => [revision]);
  let set = replacedSet(undefined, head(0), blocksOf(0), 0);
  for (let revision = 1; revision <= 20; revision += 1)
    set = replacedSet(set, head(revision), blocksOf(revision), revision);
  t.strictSame(
    [set.replaced.length, set.since, set.deleted.map(({ by }) => by)],
    [5, 15, [15]],
    'at most 40 blocks, and one set',
  );
  set = replacedSet(set, head(21), blocksOf(20), REPLACED_KEPT_MS + 17);
  t.strictSame(
    set.replaced.map(({ by }) => by),
    [18, 19, 20],
  );
  t.equal(set.since, 17);
  t.end();
});

t.test('only the revision of a set can be read, whatever its event has replaced', (t) => {
  const head = (revision: number) => ({ revision, total: 0, setDigest: '', lastNumber: 0 });
  const events: readonly (readonly [revision: number, at: number, blocks: readonly BlockPlace[]])[] = [
    [2, 0, [[2], noBlock]],
    [4, 0, [[2], [4]]],
    [6, 0, [noBlock, [4]]],
    [8, 1, [noBlock, [4, 8, 1]]],
  ];
  const write = (before: EmployeeSetDocument | undefined, [revision, at, blocks]: (typeof events)[number]) =>
    replacedSet(before, head(revision), blocks, at);
  const readable = (set: EmployeeSetDocument) =>
    Array.from({ length: 12 }, (_, revision) => setAt(set, companyId, { revision, now: 0 })).filter(Boolean);
  const set = events.reduce<EmployeeSetDocument | undefined>(write, undefined);
  assert.ok(set !== undefined);
  t.strictSame(
    readable(set),
    events.map(([revision, , blocks]) => ({ companyId, revision, blocks })),
  );
  const later = write(set, [10, REPLACED_KEPT_MS, [noBlock, [10]]]);
  t.strictSame(
    readable(later).map((one) => one?.revision),
    [6, 8, 10],
    'from the oldest that is kept',
  );
  t.end();
});

t.test('a block that is missing for good is reported, not waited for', async (t) => {
  const store = await filled(600);
  await store.write([[{ op: 'remove', collection: blocksCollection, key: [companyId, 3, 1], revision: 2 }]]);
  await t.rejects(all(store), EmployeeSetReplaced);
  await t.rejects(numberOfEmployee(store, companyId, idOf(200)), /employees of company 7 are missing/);
});
