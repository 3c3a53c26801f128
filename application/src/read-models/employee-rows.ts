import { setImmediate } from 'node:timers/promises';
import { groupedBy } from '../grouped-by.js';
import type { FoundEmployee } from '../ports/imports.js';
import { type DocumentKey, type ReadModelReader, ReadModelsUnavailable } from '../ports/read-models.js';
import {
  type EmployeeSet,
  employeeSetsCollection,
  noBlock,
  revisionsOf,
  setAt,
  setOfDocument,
  type WantedSet,
} from './employee-set.js';
import { BLOCK_ROWS, blockOf, hasLeft, rowOf, rowsOf, recordText } from './row-blocks.js';
import { RowWindow } from './row-window.js';

type Reader = Pick<ReadModelReader, 'getMany'>;

export interface RowBatch {
  readonly length: number;
  readonly numberAt: (at: number) => number;
  /** JSON in UTF-8: GET's element without its two dates and what the company's rows share. Valid until the next batch. */
  readonly rowAt: (at: number) => Uint8Array;
  /** InvitationDate, as sent when new. */
  readonly dateAt: (at: number) => string | undefined;
}

export interface OrderedRows {
  /** Exclusive. */
  readonly after?: number | undefined;
  readonly limit?: number | undefined;
  /** Before the first batch: what its rows and those behind it take in memory. It may throw. */
  readonly hold?: (bytes: number) => undefined;
}

const windowBytes = 24 * 1024 * 1024;
const batchRows = 1024;
const maxAttempts = 100;

/** Whether the newest set no longer has this block. Which of such blocks remain depends on timing. */
export async function isLeftOver(
  readModels: Reader,
  collection: string,
  [companyId, block, revision]: DocumentKey,
): Promise<boolean> {
  if (collection !== blocksCollection) return false;
  const set = await readEmployeeSet(readModels, Number(companyId));
  return !revisionsOf(set?.blocks[Number(block)] ?? noBlock).includes(Number(revision));
}

const noEmployees = (companyId: number): EmployeeSet => ({ companyId, revision: -1, blocks: [] });

/** The newest set, or that of a revision. Undefined before the first; `EmployeeSetReplaced` where it is gone. */
export async function readEmployeeSet(
  readModels: Reader,
  companyId: number,
  wanted: WantedSet = { now: 0 },
): Promise<EmployeeSet | undefined> {
  const [stored] = await readModels.getMany(employeeSetsCollection, [[companyId]], setOfDocument);
  if (stored === undefined) return undefined;
  const set = setAt(stored, companyId, wanted);
  if (set === undefined) throw replaced({ ...noEmployees(companyId), revision: wanted.revision ?? -1 });
  return set;
}

/** Starts again where the newest set was replaced and its blocks are gone. */
async function ofNewest<T>(
  readModels: Reader,
  companyId: number,
  read: (set: EmployeeSet) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const set = (await readEmployeeSet(readModels, companyId)) ?? noEmployees(companyId);
    try {
      return await read(set);
    } catch (error) {
      if (!(error instanceof EmployeeSetReplaced)) throw error;
      const now = (await readEmployeeSet(readModels, companyId))?.revision;
      if (now === set.revision || attempt === maxAttempts) throw incomplete(companyId, error);
    }
  }
}

const incomplete = (companyId: number, cause: unknown): Error =>
  new ReadModelsUnavailable(
    `parts of the employees of company ${companyId} are missing: run rollcall projections rebuild`,
    { cause },
  );

/** In the order of the numbers; the caller owns the memory. Reads every block once. */
export async function readRows(
  readModels: Reader,
  companyId: number,
  numbers: readonly number[],
): Promise<readonly (Uint8Array | undefined)[]> {
  return ofNewest(readModels, companyId, async (set) => {
    const wanted = groupedBy(numbers, blockOf);
    const rows = new Map<number, Uint8Array>();
    const reading = takeBlocks(readModels, set, [...wanted.keys()], (bytes, block) => {
      for (const number of wanted.get(block) ?? []) {
        const row = rowOf(bytes, number);
        if (row !== undefined) rows.set(number, Uint8Array.from(row));
      }
    });
    while ((await reading.next()).done !== true) continue;
    return numbers.map((number) => {
      const row = rows.get(number);
      return row === undefined || hasLeft(row) ? undefined : recordText(row);
    });
  });
}

export async function readPresent(
  readModels: Reader,
  companyId: number,
  numbers: readonly number[],
): Promise<{ readonly revision: number; readonly present: readonly boolean[] }> {
  return ofNewest(readModels, companyId, async (set) => {
    const present = new Set<number>();
    const blocks = [...new Set(numbers.map(blockOf))];
    const reading = takeBlocks(readModels, set, blocks, (bytes, block) => {
      for (const { number, row } of rowsOf(bytes, block))
        if (hasLeft(row)) present.delete(number);
        else present.add(number);
    });
    while ((await reading.next()).done !== true) continue;
    return { revision: set.revision, present: numbers.map((number) => present.has(number)) };
  });
}

/** By rising number, in non-empty batches. `EmployeeSetReplaced` where blocks are gone: earlier batches are of this set. */
export async function* readOrderedRows(
  readModels: Reader,
  set: EmployeeSet,
  { after = -1, limit = Infinity, hold }: OrderedRows,
): AsyncGenerator<RowBatch> {
  const window = new RowWindow(blocksTogether, windowBytes);
  let together = Math.min(blocksTogether, Math.ceil(limit / BLOCK_ROWS) + 1);
  let [left, holdOnce] = [limit, hold];
  for (let block = blockOf(after + 1); block < set.blocks.length && left > 0;) {
    const count = Math.min(together, set.blocks.length - block);
    if (!(await fill(window, readModels, set, { block, count }))) {
      together = Math.ceil(count / 2);
      continue;
    }
    const numbers = window.numbers(after).slice(0, left);
    if (numbers.length > 0) holdOnce = holdOnce?.(window.memory);
    yield* rowBatches(numbers, window);
    left -= numbers.length;
    block += count;
    // Reads more at a time: a page may begin where most employees have left.
    together = Math.min(blocksTogether, 2 * together);
    await setImmediate();
  }
}

async function fill(
  window: RowWindow,
  readModels: Reader,
  set: EmployeeSet,
  { block: first, count }: { readonly block: number; readonly count: number },
): Promise<boolean> {
  window.clear(first, count);
  const blocks = Array.from({ length: count }, (_, at) => first + at);
  const reading = takeBlocks(readModels, set, blocks, (rows, block) => window.take(rows, block));
  for await (const taken of reading) if (taken.includes(false)) return false;
  return true;
}

function* rowBatches(numbers: readonly number[], window: RowWindow): Generator<RowBatch> {
  for (let from = 0; from < numbers.length; from += batchRows) {
    const numberAt = (at: number): number => numbers[from + at] ?? 0;
    yield {
      length: Math.min(batchRows, numbers.length - from),
      numberAt,
      rowAt: (at) => window.text(numberAt(at)),
      dateAt: (at) => window.date(numberAt(at)),
    };
  }
}

/** One row or none. Reads all rows only where the newest set is another one. */
export async function* readRowOf(
  readModels: Reader,
  set: EmployeeSet,
  employeeId: string,
  { number, revision }: FoundEmployee,
): AsyncGenerator<RowBatch> {
  if (number !== undefined) {
    for await (const row of rowOfEmployee(readModels, set, employeeId, number)) {
      yield row;
      return;
    }
  }
  if (revision !== set.revision) yield* rowOfEmployee(readModels, set, employeeId);
}

export const numberOfEmployee = (
  readModels: Reader,
  companyId: number,
  employeeId: string,
): Promise<number | undefined> =>
  ofNewest(readModels, companyId, async (set) => {
    for await (const row of rowOfEmployee(readModels, set, employeeId)) return row.numberAt(0);
    return undefined;
  });

async function* rowOfEmployee(
  readModels: Reader,
  set: EmployeeSet,
  employeeId: string,
  number?: number,
): AsyncGenerator<RowBatch> {
  const wanted = number === undefined ? {} : { after: number - 1, limit: 1 };
  for await (const { length, numberAt, rowAt, dateAt } of readOrderedRows(readModels, set, wanted))
    for (let at = 0; at < length; at += 1)
      if (isRowOf(rowAt(at), numberAt(at), employeeId)) {
        yield { length: 1, numberAt: () => numberAt(at), rowAt: () => rowAt(at), dateAt: () => dateAt(at) };
        return;
      }
}

function isRowOf(row: Uint8Array, number: number, employeeId: string): boolean {
  const head = Buffer.from(`{"Id":${number},"EmployeeID":${JSON.stringify(employeeId)},`);
  return row.length >= head.length && head.compare(row, 0, head.length) === 0;
}

/** [companyId, block, revision]: rows of present employees, or changes to them (`row-blocks.ts`). */
export const blocksCollection = 'employee-blocks';

const blocksTogether = 80;

/** Blocks of the reader's set are gone: it must start again with a newer one. */
export class EmployeeSetReplaced extends ReadModelsUnavailable {
  override readonly name = 'EmployeeSetReplaced';
}

const replaced = ({ companyId, revision }: EmployeeSet): EmployeeSetReplaced =>
  new EmployeeSetReplaced(`revision ${revision} of the employees of company ${companyId} was replaced`);

type TakeRows<T> = (rows: Uint8Array, block: number) => T;

/** Reads many blocks at once, and yields to the event loop between these reads. */
export async function* takeBlocks<T>(
  readModels: Pick<ReadModelReader, 'getMany'>,
  set: EmployeeSet,
  blocks: readonly number[],
  take: TakeRows<T>,
): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < blocks.length; from += blocksTogether) {
    if (from > 0) await setImmediate();
    const wanted = blocks.slice(from, from + blocksTogether).flatMap((block) => keysOf(set, block));
    yield await readModels.getMany(blocksCollection, wanted, (value, at) => {
      if (value === undefined) throw replaced(set);
      return take(value, Number(wanted[at]?.[1]));
    });
  }
}

const keysOf = ({ companyId, blocks }: EmployeeSet, block: number): readonly DocumentKey[] =>
  revisionsOf(blocks[block] ?? noBlock).map((revision) => [companyId, block, revision]);
