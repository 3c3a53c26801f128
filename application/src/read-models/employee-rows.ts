import { setImmediate } from 'node:timers/promises';
import type { DocumentKey, ReadModelReader } from '../ports/read-models.js';
import {
  decodeDirectory,
  idsIn,
  joinedRuns,
  lastIdOf,
  numberIn,
  partBehind,
  partOfRun,
  runOf,
  runsBehind,
  RUN_ENTRIES,
  textOfRun,
  type OrderDirectory,
  type OrderPlace,
  type RunText,
} from './order-runs.js';
import { blockOf, numbersOf, placesByBlock } from './row-blocks.js';
import { RowWindow } from './row-window.js';

type Reader = Pick<ReadModelReader, 'get' | 'getMany'>;

/** Rows of present employees: [companyId, block], see `row-blocks.ts`. */
export const blocksCollection = 'employee-blocks';
/** [companyId], see `encodeDirectory`. */
export const orderCollection = 'employee-order';
/** [companyId, slot], see `encodeRun`. */
export const orderRunsCollection = 'employee-order-runs';

/** Employees who are present, in the order of their EmployeeIDs. */
export interface RowBatch {
  readonly length: number;
  /** The EmployeeID at a place among them. */
  readonly idAt: (at: number) => string;
  readonly numberAt: (at: number) => number;
  /**
   * JSON text in UTF-8: the element of GET employees, but for what is the same of all in the company and for `FirstInvitationDate`. Valid until the
   * next batch is asked for.
   */
  readonly rowAt: (at: number) => Uint8Array;
}

export interface OrderedRows {
  readonly companyId: number;
  /** Only EmployeeIDs behind this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** So many blocks are read at once. */
const blocksTogether = 80;
/** So many runs are read at once where all are wanted. */
const runsTogether = 4;
/** The rows that are read at once where neighbours lie far apart, and what those may take of memory. */
const windowRows = 40 * RUN_ENTRIES;
const windowBytes = 24 * 1024 * 1024;
/** How often the directory may have been replaced before its runs were read. */
const mostLooks = 100;

const incomplete = (companyId: number): Error =>
  new Error(
    `the order of the employees of company ${companyId} is incomplete: run rollcall projections rebuild`,
  );

/** The rows of these numbers, in the order in which they are given, in memory of their own. Every block is read once. */
export async function readRows(
  readModels: Reader,
  companyId: number,
  numbers: readonly number[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const window = new RowWindow(Infinity);
  await fill(window, readModels, companyId, numbers);
  return numbers.map((_, place) => (window.has(place) ? window.row(place) : undefined));
}

/** False where the window cannot take all of them. */
async function fill(
  window: RowWindow,
  readModels: Reader,
  companyId: number,
  numbers: readonly number[],
): Promise<boolean> {
  window.clear(numbers.length);
  const places = placesByBlock(numbers);
  const blocks = [...places.keys()].sort((one, other) => one - other);
  const looks = lookAt(readModels, { companyId, blocks }, (block, index) =>
    window.take(block, places.get(index) ?? [], numbers),
  );
  for await (const fit of looks) if (fit.includes(false)) return false;
  return true;
}

/** What `look` says of each of these blocks that is there; many are read at once, and in between others get their turn. */
async function* lookAt<T>(
  readModels: Pick<Reader, 'getMany'>,
  { companyId, blocks }: { readonly companyId: number; readonly blocks: readonly number[] },
  look: (block: Uint8Array, index: number) => T,
): AsyncGenerator<readonly (T | undefined)[]> {
  for (let from = 0; from < blocks.length; from += blocksTogether) {
    if (from > 0) await setImmediate();
    const some = blocks.slice(from, from + blocksTogether);
    const keys = some.map((index) => [companyId, index] as const);
    yield await readModels.getMany(
      blocksCollection,
      keys,
      (block, at) => block && look(block, some[at] ?? 0),
    );
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
  for await (const found of lookAt(readModels, { companyId, blocks }, numbersOf))
    for (const number of found.flatMap((some) => some ?? [])) present.add(number);
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
): AsyncGenerator<RowBatch> {
  const window = new RowWindow(windowBytes);
  let left = limit;
  let most = windowRows;
  for await (const run of windowsOf(orderedRuns(readModels, { companyId, after, limit }), limit)) {
    for (let from = 0; from < run.numbers.length && left > 0;) {
      const some = partOfRun(run, from, from + Math.min(most, left));
      const { numbers } = some;
      if (!(await fill(window, readModels, companyId, numbers))) {
        most = Math.ceil(numbers.length / 2);
        continue;
      }
      from += numbers.length;
      for (const batch of batchesOf(some, window)) {
        yield batch;
        left -= batch.length;
      }
    }
    if (left <= 0) return;
    await setImmediate();
  }
}

/** Those whose rows lie in other blocks than their neighbours' are joined, so that each block is read once for many. */
async function* windowsOf(runs: AsyncIterable<RunText>, limit: number): AsyncGenerator<RunText> {
  let held: RunText[] = [];
  let count = 0;
  for await (const run of runs) {
    held.push(run);
    count += run.numbers.length;
    if (count < Math.min(windowRows, limit) && areApart(run)) continue;
    yield joinedRuns(held);
    held = [];
    count = 0;
  }
  if (count > 0) yield joinedRuns(held);
}

function areApart({ numbers }: RunText): boolean {
  let moves = 0;
  let last = -1;
  for (const number of numbers) {
    const block = blockOf(number);
    if (block !== last) moves += 1;
    last = block;
  }
  return 8 * moves > numbers.length;
}

/** One who is just leaving may have no row, and is left out. */
function* batchesOf(run: RunText, window: RowWindow): Generator<RowBatch> {
  const idAt = idsIn(run);
  for (let from = 0; from < run.numbers.length; from += RUN_ENTRIES) {
    const places = window.places(from, Math.min(from + RUN_ENTRIES, run.numbers.length));
    const placeAt = (at: number): number => places[at] ?? 0;
    yield {
      length: places.length,
      idAt: (at) => idAt(placeAt(at)),
      numberAt: (at) => run.numbers[placeAt(at)] ?? 0,
      rowAt: (at) => window.row(placeAt(at)),
    };
  }
}

/** EmployeeIDs and numbers in their order, without the rows. */
async function* orderedRuns(
  readModels: Reader,
  { companyId, after, limit = Infinity }: OrderedRows,
): AsyncGenerator<RunText> {
  const together = limit === Infinity ? runsTogether : 1;
  let behind = after;
  for (let look = 0; look < mostLooks; look += 1) {
    let left = runsBehind(await readDirectory(readModels, companyId), behind);
    while (left.length > 0) {
      const places = left.slice(0, together);
      const runs = await readRuns(readModels, companyId, places);
      const run = partBehind(joinedRuns(runs), behind);
      if (run.numbers.length > 0) {
        behind = lastIdOf(run);
        yield run;
        look = 0;
      }
      if (runs.length < places.length) break;
      left = left.slice(together);
    }
    if (left.length === 0) return;
  }
  throw incomplete(companyId);
}

async function readDirectory(readModels: Reader, companyId: number): Promise<OrderDirectory> {
  const bytes = await readModels.get(orderCollection, [companyId]);
  return bytes === undefined ? [] : decodeDirectory(bytes).directory;
}

/** The runs up to the first one that is gone: it was replaced, and the directory was, too. */
async function readRuns(
  readModels: Reader,
  companyId: number,
  places: readonly OrderPlace[],
): Promise<readonly RunText[]> {
  const keys = places.map(({ slot }): DocumentKey => [companyId, slot]);
  const runs = await readModels.getMany(orderRunsCollection, keys, (bytes, at) => {
    const place = places[at];
    return place && textOfRun(bytes, place);
  });
  const gone = runs.indexOf(undefined);
  return runs.slice(0, gone < 0 ? undefined : gone).filter((run) => run !== undefined);
}
