import {
  blockOf,
  blocksCollection,
  type DocumentKey,
  encodeDirectory,
  encodeRun,
  numberOfEmployee,
  orderCollection,
  orderRunsCollection,
  placeOfRun,
  readRows,
  rowOf,
} from '@rollcall/application';
import t from 'tap';
import { ModelReadModels } from '../support/model-read-models.js';
import { encodeRows } from '../support/encode-rows.js';
import { orderedRows } from '../support/ordered-rows.js';

const companyId = 7;
const idOf = (number: number): string => `E${(number * 7919) % 100_000}`;
const rowFor = (number: number): Buffer =>
  Buffer.from(JSON.stringify({ Id: number, EmployeeID: idOf(number) }));

/** Employees 1 to `count`, in an order that is not that of their numbers, in runs of `length`. */
async function filled(count: number, length: number, revision = 1): Promise<ModelReadModels> {
  const store = new ModelReadModels();
  await write(store, { count, length, revision });
  return store;
}

async function write(
  store: ModelReadModels,
  { count, length, revision }: { count: number; length: number; revision: number },
): Promise<void> {
  const put = (collection: string, key: DocumentKey, value: Uint8Array | undefined) =>
    value && store.write([[{ op: 'put', collection, key, revision, value }]]);
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  for (let block = 0; block <= blockOf(count); block += 1) {
    const own = numbers.filter((number) => blockOf(number) === block);
    await put(
      blocksCollection,
      [companyId, block],
      encodeRows(own.map((number) => ({ number, row: rowFor(number) }))),
    );
  }
  const sorted = numbers
    .map((number) => [idOf(number), number] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const places = [];
  for (let from = 0; from < sorted.length; from += length) {
    const run = sorted.slice(from, from + length);
    const place = placeOfRun(run, revision, 100 * (revision % 2) + places.length);
    places.push(place);
    await put(orderRunsCollection, [companyId, place.slot], encodeRun(run, place));
  }
  await put(orderCollection, [companyId], encodeDirectory({ directory: places, free: [] }));
}

async function all(
  store: ModelReadModels,
  options: { after?: string; limit?: number } = {},
): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of orderedRows(store, { companyId, ...options }))
    for (const { employeeId, number, row } of batch) {
      if (rowFor(number).compare(row) !== 0 || idOf(number) !== employeeId) t.fail('another row');
      found.push(number);
    }
  return found;
}

const expected = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => at + 1).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));

t.test('all employees in the order of their ids, and pages of them', async (t) => {
  const store = await filled(3_000, 100);
  t.strictSame(await all(store), expected(3_000));
  t.strictSame(await all(store, { limit: 7 }), expected(3_000).slice(0, 7));
  t.strictSame(
    await all(store, { after: idOf(10), limit: 250 }),
    expected(3_000)
      .filter((number) => idOf(number) > idOf(10))
      .slice(0, 250),
  );
  t.strictSame(await all(new ModelReadModels()), []);
});

t.test('where neighbours lie in other blocks, each block is read once for many of them', async (t) => {
  const store = await filled(6_000, 100);
  const reads = new Map<string, number>();
  const getMany = store.getMany.bind(store);
  store.getMany = (collection, keys, take) => {
    if (collection === blocksCollection)
      for (const key of keys) reads.set(key.join(), (reads.get(key.join()) ?? 0) + 1);
    return getMany(collection, keys, take);
  };
  t.strictSame(await all(store), expected(6_000));
  t.equal(reads.size, blockOf(6_000) + 1);
  t.ok([...reads.values()].every((times) => times === 1));
  reads.clear();
  t.strictSame(await all(store, { limit: 3 }), expected(6_000).slice(0, 3));
  t.ok(reads.size <= 3, 'few rows need few blocks');
});

const longRow = (number: number): Buffer => Buffer.alloc(200 * 1024, number % 251);

const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

/** Neighbours in it lie in other blocks. */
const sortedRun = (count: number) =>
  numbersUpTo(count)
    .map((number) => [String(number % 10) + String(1_000 + number), number] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));

/** A company of so many long rows. */
async function withLongRows(count: number): Promise<ModelReadModels> {
  const store = new ModelReadModels();
  const sorted = sortedRun(count);
  const place = placeOfRun(sorted, 1, 0);
  const values: [string, DocumentKey, Uint8Array][] = [
    [orderCollection, [companyId], encodeDirectory({ directory: [place], free: [] })],
    [orderRunsCollection, [companyId, 0], encodeRun(sorted, { revision: 1 })],
  ];
  for (let block = 0; block <= blockOf(count); block += 1) {
    const own = numbersUpTo(count).filter((number) => blockOf(number) === block);
    const rows = own.map((number) => ({ number, row: longRow(number) }));
    values.push([blocksCollection, [companyId, block], encodeRows(rows) ?? Buffer.alloc(0)]);
  }
  for (const [collection, key, value] of values)
    await store.write([[{ op: 'put', collection, key, revision: 1, value }]]);
  return store;
}

t.test('long rows are read in parts that fit into memory', async (t) => {
  const count = 300;
  const store = await withLongRows(count);
  const found: number[] = [];
  let most = 0;
  for await (const batch of orderedRows(store, { companyId })) {
    for (const { number, row } of batch) {
      if (longRow(number).compare(row) !== 0) t.fail('another row');
      found.push(number);
    }
    most = Math.max(most, batch.length * longRow(0).length);
  }
  t.strictSame(
    found,
    sortedRun(count).map(([, number]) => number),
  );
  t.ok(most <= 24 * 1024 * 1024, `${most} bytes at once`);
});

t.test('single employees, by id and by numbers', async (t) => {
  const store = await filled(1_000, 64);
  t.equal(await numberOfEmployee(store, companyId, idOf(500)), 500);
  t.equal(await numberOfEmployee(store, companyId, 'nobody'), undefined);
  t.equal(await numberOfEmployee(store, 8, idOf(500)), undefined);
  const wanted = [999, 5_000, 1, 999, 3, 4, 4, 2, 0, 5];
  const rows = await readRows(store, companyId, wanted);
  t.strictSame(
    rows.map((row) => row && Buffer.from(row).toString()),
    wanted.map((number) => (number >= 1 && number <= 1_000 ? rowFor(number).toString() : undefined)),
  );
});

t.test('an order that is replaced while it is read: nobody is missing, nobody comes twice', async (t) => {
  const store = await filled(1_000, 100);
  const found: number[] = [];
  let revision = 1;
  for await (const batch of orderedRows(store, { companyId })) {
    found.push(...batch.map(({ number }) => number));
    // The second order lies where the first one did.
    for (let n = 0; n < 2; n += 1) {
      revision += 1;
      await write(store, { count: 1_000, length: 90 + revision, revision });
    }
  }
  t.strictSame(found, expected(1_000));
});

t.test('an employee who is leaving is left out, and a page is filled up from behind', async (t) => {
  const store = await filled(600, 50);
  const [, second = 0] = expected(600);
  const key = [companyId, blockOf(second)] as const;
  const block = await store.get(blocksCollection, key);
  t.ok(block && rowOf(block, second));
  const rest = expected(600).filter((number) => blockOf(number) === blockOf(second) && number !== second);
  const value = encodeRows(rest.sort((a, b) => a - b).map((number) => ({ number, row: rowFor(number) })));
  if (value) await store.write([[{ op: 'put', collection: blocksCollection, key, revision: 2, value }]]);
  const [first, , ...others] = expected(600);
  t.strictSame(await all(store, { limit: 5 }), [first, ...others.slice(0, 4)]);
});

t.test('an order that misses a run for good is told, not waited for', async (t) => {
  const store = await filled(600, 50);
  await store.write([
    [{ op: 'remove', collection: orderRunsCollection, key: [companyId, 103], revision: 2 }],
  ]);
  await t.rejects(all(store), /order of the employees of company 7 is incomplete/);
});
