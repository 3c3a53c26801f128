import { Buffer } from 'node:buffer';
import type { DocumentKey, ReadModelReader } from '../ports/read-models.js';
import {
  decodeDirectory,
  decodeRun,
  entriesBehind,
  numberIn,
  runOf,
  runsBehind,
  type OrderDirectory,
  type OrderEntry,
  type OrderRun,
  type OrderPlace,
} from './order-runs.js';
import { blockOf, numbersOf, rowOf } from './row-blocks.js';

type Reader = Pick<ReadModelReader, 'get' | 'getMany'>;

/** Rows of present employees: [companyId, block], see `row-blocks.ts`. */
export const blocksCollection = 'employee-blocks';
/** [companyId], see `encodeDirectory`. */
export const orderCollection = 'employee-order';
/** [companyId, revision, index], see `encodeRun`. */
export const orderRunsCollection = 'employee-order-runs';

/** An employee who is present. */
export interface EmployeeRow {
  readonly employeeId: string;
  readonly number: number;
  /** JSON text in UTF-8: the element of GET employees, but for what is the same of all and for `FirstInvitationDate`. */
  readonly row: Uint8Array;
}

export interface OrderedRows {
  readonly companyId: number;
  /** Only EmployeeIDs behind this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** So many blocks are read at once. */
const blocksTogether = 64;
/** The runs of one batch: few at first, so that the first rows come soon; more later, because each run may need any block. */
const mostRuns = 32;
/** How often the directory may have been replaced before its runs were read. */
const mostLooks = 100;

const incomplete = (companyId: number): Error =>
  new Error(
    `the order of the employees of company ${companyId} is incomplete: run rollcall projections rebuild`,
  );

/** The row of one employee; undefined where that number is not present. In memory of its own. */
export async function readRow(
  readModels: Pick<Reader, 'get'>,
  companyId: number,
  number: number,
): Promise<Uint8Array | undefined> {
  const block = await readModels.get(blocksCollection, [companyId, blockOf(number)]);
  const row = block && rowOf(block, number);
  return row && Uint8Array.from(row);
}

/** The rows of these numbers, in the order in which they are given; each in memory of its own. Every block is read once. */
export async function readRows(
  readModels: Reader,
  companyId: number,
  numbers: readonly number[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const places = new Map<number, number[]>();
  for (const [place, number] of numbers.entries()) {
    const block = blockOf(number);
    const those = places.get(block);
    if (those === undefined) places.set(block, [place]);
    else those.push(place);
  }
  const rows = new Array<Uint8Array | undefined>(numbers.length).fill(undefined);
  const blocks = [...places.keys()].sort((one, other) => one - other);
  for (let from = 0; from < blocks.length; from += blocksTogether) {
    const some = blocks.slice(from, from + blocksTogether);
    const found = await readModels.getMany(
      blocksCollection,
      some.map((block) => [companyId, block]),
    );
    for (const [at, block] of some.entries()) copyRows(found[at], places.get(block) ?? [], { numbers, rows });
  }
  return rows;
}

/** Into one piece of memory: so many small ones would cost more than the rows. */
function copyRows(
  block: Uint8Array | undefined,
  places: readonly number[],
  { numbers, rows }: { readonly numbers: readonly number[]; readonly rows: (Uint8Array | undefined)[] },
): void {
  if (block === undefined) return;
  const found = places.map((place) => rowOf(block, numbers[place] ?? 0));
  const memory = Buffer.allocUnsafeSlow(found.reduce((sum, row) => sum + (row?.length ?? 0), 0));
  let length = 0;
  for (const [at, place] of places.entries()) {
    const row = found[at];
    if (row === undefined) continue;
    memory.set(row, length);
    rows[place] = memory.subarray(length, (length += row.length));
  }
}

/** Which of these numbers are present, in the order in which they are given. */
export async function readPresent(
  readModels: Pick<Reader, 'getMany'>,
  companyId: number,
  numbers: readonly number[],
): Promise<readonly boolean[]> {
  const present = new Set<number>();
  const blocks = [...new Set(numbers.map(blockOf))];
  for (let from = 0; from < blocks.length; from += blocksTogether) {
    const some = blocks.slice(from, from + blocksTogether);
    const keys = some.map((block) => [companyId, block] as const);
    const found = await readModels.getMany(blocksCollection, keys);
    const numbersIn = found.map((block, at) => (block === undefined ? [] : numbersOf(block, some[at] ?? 0)));
    for (const number of numbersIn.flatMap((each) => [...each])) present.add(number);
  }
  return numbers.map((number) => present.has(number));
}

/** The number of whoever has this EmployeeID; undefined where nobody has. */
export async function numberOfEmployee(
  readModels: Reader,
  companyId: number,
  employeeId: string,
): Promise<number | undefined> {
  for (let look = 0; look < mostLooks; look += 1) {
    const directory = await readDirectory(readModels, companyId);
    const place = directory[runOf(directory, employeeId)];
    if (place === undefined) return undefined;
    const [run] = await readRuns(readModels, companyId, [place]);
    if (run !== undefined) return numberIn(run, employeeId);
  }
  throw incomplete(companyId);
}

/**
 * Present employees in the order of their EmployeeIDs (UTF-16 code units), in batches, none of them empty. Whoever comes or goes
 * meanwhile may be among them or not; nobody else is missing or comes twice.
 */
export async function* readOrderedRows(
  readModels: Reader,
  { companyId, after, limit = Infinity }: OrderedRows,
): AsyncGenerator<readonly EmployeeRow[]> {
  let left = limit;
  for await (const entries of orderedEntries(readModels, { companyId, after, limit })) {
    const numbers = entries.map(([, number]) => number);
    const rows = await readRows(readModels, companyId, numbers);
    const batch: EmployeeRow[] = [];
    for (const [at, [employeeId, number]] of entries.entries()) {
      const row = rows[at];
      if (row !== undefined && batch.length < left) batch.push({ employeeId, number, row });
    }
    left -= batch.length;
    if (batch.length > 0) yield batch;
    if (left <= 0) return;
  }
}

/** EmployeeIDs and numbers in their order, without the rows; one who is just leaving may have none. */
async function* orderedEntries(
  readModels: Reader,
  { companyId, after, limit = Infinity }: OrderedRows,
): AsyncGenerator<readonly OrderEntry[]> {
  let behind = after;
  for (let look = 0; look < mostLooks; look += 1) {
    const directory = await readDirectory(readModels, companyId);
    let isGone = false;
    for await (const { runs, wanted } of runsInTurn(readModels, companyId, {
      places: runsBehind(directory, behind),
      limit,
    })) {
      const entries = entriesBehind(runs.flat(), behind);
      behind = lastIdOf(entries) ?? behind;
      if (entries.length > 0) {
        yield* slices(entries, limit);
        look = 0;
      }
      isGone = runs.length < wanted;
      if (isGone) break;
    }
    if (!isGone) return;
  }
  throw incomplete(companyId);
}

const lastIdOf = (entries: OrderRun): string | undefined => entries.at(-1)?.[0];

interface RunsWanted {
  readonly places: OrderDirectory;
  readonly limit: number;
}

async function* runsInTurn(
  readModels: Reader,
  companyId: number,
  { places, limit }: RunsWanted,
): AsyncGenerator<{ readonly runs: readonly OrderRun[]; readonly wanted: number }> {
  for (let from = 0, together = 1; from < places.length; from += together) {
    if (from > 0 && limit === Infinity) together = Math.min(mostRuns, from);
    const some = places.slice(from, from + together);
    yield { runs: await readRuns(readModels, companyId, some), wanted: some.length };
  }
}

/** Where few are wanted, not many more rows than those are looked for at once. */
function* slices(entries: OrderRun, limit: number): Generator<readonly OrderEntry[]> {
  if (limit >= entries.length) yield entries;
  else for (let from = 0; from < entries.length; from += limit) yield entries.slice(from, from + limit);
}

async function readDirectory(readModels: Reader, companyId: number): Promise<OrderDirectory> {
  const bytes = await readModels.get(orderCollection, [companyId]);
  return bytes === undefined ? [] : decodeDirectory(bytes);
}

/** The runs up to the first one that is gone: it was replaced, and the directory was, too. */
async function readRuns(
  readModels: Reader,
  companyId: number,
  places: readonly OrderPlace[],
): Promise<readonly OrderRun[]> {
  const keys = places.map(({ revision, index }): DocumentKey => [companyId, revision, index]);
  const runs: OrderRun[] = [];
  for (const bytes of await readModels.getMany(orderRunsCollection, keys)) {
    if (bytes === undefined) break;
    runs.push(decodeRun(bytes));
  }
  return runs;
}
