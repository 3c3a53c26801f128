import { Buffer } from 'node:buffer';

/** An EmployeeID and the number of whoever has it. */
export type OrderEntry = readonly [id: string, number: number];

/** Entries in the order of ids (UTF-16 code units), no id twice. */
export type OrderRun = readonly OrderEntry[];

/**
 * Where a run lies: under [company, `slot`], if the event of that revision wrote it. Whoever changes a run writes others, in slots
 * that are free, so that the directory from before stays true until it is replaced.
 */
export interface OrderPlace {
  readonly first: string;
  readonly slot: number;
  readonly revision: number;
  readonly count: number;
}

/** All runs of a company in the order of their ids, none of them empty. */
export type OrderDirectory = readonly OrderPlace[];

/** A directory as it is stored. */
export interface StoredDirectory {
  readonly directory: OrderDirectory;
  /** Slots that none of its runs has: all others up to the highest that ever was used, longest free first. */
  readonly free: readonly number[];
}

/** Entries in their order that may be made when they are asked for: those of a large company would weigh half as much as its list. */
export type OrderEntries = Pick<OrderRun, 'length' | 'slice'>;

/** What an event changes of the order. */
export interface OrderChanges {
  readonly added: OrderEntries;
  /** Sorted, as `added` is; ids that nobody has do no harm. */
  readonly removed: readonly string[];
}

/** A run has at most so many entries. */
export const RUN_ENTRIES = 1024;

/** So many slots rest after they have become free: events that are gathered must not write where they still have to read. */
export const RESTING_SLOTS = 16;

/** So many runs are rewritten together, and so held in memory. */
const TOGETHER = 32;

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

type PlaceText = readonly [first: string, slot: number, revision: number, count: number];

/** `{runs: [[first id, slot, revision, count], ...], free}`. */
export function encodeDirectory({ directory, free }: StoredDirectory): Uint8Array {
  const runs = directory.map(({ first, slot, revision, count }): PlaceText => [first, slot, revision, count]);
  return Buffer.from(JSON.stringify({ runs, free }));
}

export function decodeDirectory(bytes: Uint8Array): StoredDirectory {
  const { runs, free } = JSON.parse(textOf(bytes)) as {
    readonly runs: readonly PlaceText[];
    readonly free: number[];
  };
  return {
    directory: runs.map(([first, slot, revision, count]) => ({ first, slot, revision, count })),
    free,
  };
}

/** A run as it is stored, or some that follow one another. One text for all ids costs a fourth of what one each does. NUL is in none of them. */
export interface RunText {
  readonly ids: string;
  readonly numbers: readonly number[];
}

const idsOf = ({ ids }: RunText): string[] => ids.split('\0');

/**
 * The revision and the numbers, with commas between them, each less the one before it: neighbours mostly came together. Then each
 * id behind a NUL.
 */
export function encodeRun(run: OrderRun, { revision }: Pick<OrderPlace, 'revision'>): Uint8Array {
  let steps = `${revision}`;
  let ids = '';
  let before = 0;
  for (const [id, number] of run) {
    steps += `,${number - before}`;
    ids += `\0${id}`;
    before = number;
  }
  return Buffer.from(steps + ids);
}

/** Undefined where another event has written what is stored in the slot, or removed it. */
export function textOfRun(
  bytes: Uint8Array | undefined,
  { revision }: Pick<OrderPlace, 'revision'>,
): RunText | undefined {
  const text = bytes === undefined ? '' : textOf(bytes);
  const head = text.indexOf('\0');
  const numbers = JSON.parse(`[${text.slice(0, Math.max(0, head))}]`) as number[];
  if (numbers.shift() !== revision) return undefined;
  for (let at = 1; at < numbers.length; at += 1) numbers[at] = (numbers[at] ?? 0) + (numbers[at - 1] ?? 0);
  return { ids: text.slice(head + 1), numbers };
}

/** The same, taken apart. */
export function decodeRun(
  bytes: Uint8Array | undefined,
  place: Pick<OrderPlace, 'revision'>,
): OrderRun | undefined {
  const text = textOfRun(bytes, place);
  return text && idsOf(text).map((id, at) => [id, text.numbers[at] ?? 0]);
}

/** The slots of the runs that an event writes: the same ones whenever it comes to the same directory. */
export class Slots {
  readonly #free: number[];
  #next: number;

  constructor({ directory, free }: StoredDirectory) {
    this.#free = [...free];
    this.#next = directory.length + free.length;
  }

  take(): number {
    const free = this.#free.length > RESTING_SLOTS ? this.#free.shift() : undefined;
    return free ?? this.#next++;
  }

  /** All that are free once these runs are replaced. */
  freeBehind(replaced: OrderDirectory): readonly number[] {
    return [...this.#free, ...replaced.map(({ slot }) => slot)];
  }
}

/** How many of sorted items come before the first for which `isBehind` holds. */
function countBefore<T>(
  items: Pick<readonly T[], 'length' | 'slice'>,
  isBehind: (item: T) => boolean,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [item] = items.slice(middle, middle + 1);
    if (item !== undefined && !isBehind(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The run in which an id lies if it is there, by its place in the directory; -1 in an empty one. */
export const runOf = (directory: OrderDirectory, id: string): number =>
  Math.max(countBefore(directory, ({ first }) => first > id) - 1, Math.min(0, directory.length - 1));

/** The runs in which ids behind this one may lie, in their order; all of them without an id. */
export const runsBehind = (directory: OrderDirectory, after?: string): OrderDirectory =>
  after === undefined ? directory : directory.slice(Math.max(0, runOf(directory, after)));

/** The id at each place; it is taken apart when one is asked for. */
export function idsIn(run: RunText): (place: number) => string {
  let ids: readonly string[] | undefined;
  return (place) => (ids ??= idsOf(run))[place] ?? '';
}

export const lastIdOf = ({ ids }: RunText): string => ids.slice(ids.lastIndexOf('\0') + 1);

/** Runs that follow one another, as one. */
export const joinedRuns = (runs: readonly RunText[]): RunText => ({
  ids: runs.map(({ ids }) => ids).join('\0'),
  numbers: noNumbers.concat(...runs.map(({ numbers }) => numbers)),
});

const noNumbers: readonly number[] = [];

/** What stands in a run at these places. */
export function partOfRun(run: RunText, from: number, to: number): RunText {
  if (from === 0 && to >= run.numbers.length) return run;
  return { ids: idsOf(run).slice(from, to).join('\0'), numbers: run.numbers.slice(from, to) };
}

/** What of a run comes behind an id; all of it without one. */
export function partBehind(run: RunText, after?: string): RunText {
  // Behind the first id comes a NUL, so that this takes no run that begins with the very id.
  if (after === undefined || run.ids > `${after}\u0001`) return run;
  return partOfRun(
    run,
    countBefore(idsOf(run), (id) => id > after),
    Infinity,
  );
}

/** The number of whoever has the id. */
export const numberIn = (run: RunText, id: string): number | undefined => run.numbers[idsOf(run).indexOf(id)];

/** Some neighbouring runs that are rewritten, and what is changed in them. */
export interface OrderRewrite {
  readonly replaced: OrderDirectory;
  readonly changes: OrderChanges;
}

/** A run that stays as it is, or runs that are rewritten: the directory in its order. */
export type OrderStep = { readonly kept: OrderPlace } | OrderRewrite;

/** What is to be done with each run: only those that the changes touch are rewritten. */
export function* orderSteps(directory: OrderDirectory, changes: OrderChanges): Generator<OrderStep> {
  if (directory.length > 0) yield* stepsByRun(directory, changes);
  else if (changes.added.length > 0) yield { replaced: [], changes };
}

function* stepsByRun(directory: OrderDirectory, changes: OrderChanges): Generator<OrderStep> {
  let touched: OrderPlace[] = [];
  let parts: OrderChanges[] = [];
  const rewrite = (): OrderRewrite => {
    const step = { replaced: touched, changes: joined(parts) };
    touched = [];
    parts = [];
    return step;
  };
  for (const [place, part] of partsByRun(directory, changes)) {
    const isTouched = part.added.length + part.removed.length > 0;
    if (touched.length >= TOGETHER || (!isTouched && touched.length > 0)) yield rewrite();
    if (!isTouched) {
      yield { kept: place };
      continue;
    }
    touched.push(place);
    parts.push(part);
  }
  if (touched.length > 0) yield rewrite();
}

const joined = (parts: readonly OrderChanges[]): OrderChanges => ({
  added: parts.flatMap(({ added }) => added.slice()),
  removed: parts.flatMap(({ removed }) => removed),
});

function* partsByRun(
  directory: OrderDirectory,
  { added, removed }: OrderChanges,
): Generator<[OrderPlace, OrderChanges]> {
  let addedFrom = 0;
  let removedFrom = 0;
  for (const [at, place] of directory.entries()) {
    const next = directory[at + 1]?.first;
    const addedTo = next === undefined ? added.length : countBefore(added, ([id]) => id >= next);
    const removedTo = next === undefined ? removed.length : countBefore(removed, (id) => id >= next);
    yield [place, { added: added.slice(addedFrom, addedTo), removed: removed.slice(removedFrom, removedTo) }];
    addedFrom = addedTo;
    removedFrom = removedTo;
  }
}

/** The new runs of a rewrite, from those that it replaces, in their order; all of nearly the same length. */
export function* rewritten({ changes }: OrderRewrite, replaced: readonly OrderRun[]): Generator<OrderRun> {
  const entries = merged(replaced.flat(), changes);
  const count = Math.ceil(entries.length / RUN_ENTRIES);
  const length = replaced.length === 0 ? RUN_ENTRIES : Math.ceil(entries.length / Math.max(1, count));
  for (let from = 0; from < entries.length; from += length) yield entries.slice(from, from + length);
}

/** An id that is removed and added goes over to the one that is added. */
function merged(entries: OrderRun, changes: OrderChanges): OrderEntries {
  if (entries.length === 0) return changes.added;
  const added = changes.added.slice();
  const gone = new Set(changes.removed);
  for (const [id] of added) gone.add(id);
  const result: OrderEntry[] = [];
  let next = 0;
  for (const entry of entries) {
    for (let one = added[next]; one !== undefined && one[0] <= entry[0]; one = added[++next])
      result.push(one);
    if (!gone.has(entry[0])) result.push(entry);
  }
  return [...result, ...added.slice(next)];
}

/** Where a new run lies. */
export function placeOfRun(run: OrderRun, revision: number, slot: number): OrderPlace {
  const [first] = run[0] ?? [''];
  return { first, slot, revision, count: run.length };
}
