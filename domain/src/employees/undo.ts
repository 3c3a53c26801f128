import type { EmployeeSetSummary } from '@rollcall/contracts';
import { type Digester, digestVersion, toHex } from '@rollcall/employee-lists';
import { type EmployeeSet, EmployeeSetBuilder, indexOfNumber } from '@rollcall/employee-lists/set';

/** In the event of an undo: no body has this hash, so none is taken for the last one. */
export const noBodySha256 = '0'.repeat(64);

export interface SetPair {
  readonly before: EmployeeSet;
  readonly after: EmployeeSet;
}

/** Where a number that an import has touched stands in the sets before and after it; -1: not present. */
interface TouchedEmployee {
  readonly number: number;
  readonly before: number;
  readonly after: number;
}

export interface UndoEmployeeSet extends SetPair {
  readonly operationId: string;
  /** Restores the others where a later import has touched some. */
  readonly force: boolean;
  readonly digester: Digester;
  /** By number: others who have the old e-mail address or phone number now. */
  readonly holders?: ReadonlyMap<number, readonly number[]>;
}

interface SetNumbers {
  readonly restored: readonly TouchedEmployee[];
  readonly changed: readonly TouchedEmployee[];
  readonly left: readonly TouchedEmployee[];
}

/** `later`: numbers that a later import has touched, ascending. They are left alone. */
export type EmployeeSetUndo =
  | { readonly kind: 'refused'; readonly later: readonly number[] }
  | {
      readonly kind: 'confirmed' | 'replaced';
      readonly later: readonly number[];
      readonly summary: EmployeeSetSummary;
      readonly change: SetNumbers;
      /** The same object where nothing changes. */
      readonly after: EmployeeSet;
    };

/** Everybody whom the import has added, changed or removed, by number. */
export function touchedBy({ before, after }: SetPair): TouchedEmployee[] {
  const touched: TouchedEmployee[] = [];
  for (let [i, j] = [0, 0]; i < before.count || j < after.count;) {
    const number = Math.min(numberAt(before, i), numberAt(after, j));
    const one = {
      number,
      before: numberAt(before, i) === number ? i++ : -1,
      after: numberAt(after, j) === number ? j++ : -1,
    };
    if (!isSame([before, one.before], [after, one.after])) touched.push(one);
  }
  return touched;
}

/**
 * What the import changed is as before it: who left returns under the old number, who was added leaves. Others than the import left
 * them, and than before it, were touched by a later one (docs/decisions/0028-undo.md).
 */
export function undoEmployeeSet(command: UndoEmployeeSet, present: EmployeeSet): EmployeeSetUndo {
  const { before, after, operationId, force } = command;
  const touched = touchedBy(command).filter(
    ({ number, before: at }) => !isSame([before, at], [present, indexOfNumber(present, number)]),
  );
  const untouched = touched.filter(({ number, after: at }) =>
    isSame([after, at], [present, indexOfNumber(present, number)]),
  );
  const undone = withoutTaken(untouched, command, present);
  const isUndone = new Set(undone.map(({ number }) => number));
  const later = touched.map(({ number }) => number).filter((number) => !isUndone.has(number));
  if (later.length > 0 && !force) return { kind: 'refused', later };
  const change = {
    restored: undone.filter((one) => one.after < 0),
    changed: undone.filter((one) => one.before >= 0 && one.after >= 0),
    left: undone.filter((one) => one.before < 0),
  };
  const set = undone.length === 0 ? present : restoredSet(present, change, command);
  const counts = {
    inserted: change.restored.length,
    updated: change.changed.length,
    removed: change.left.length,
  };
  const { count: total, lastNumber, setDigest } = set;
  const body = { operationId, bodySha256: noBodySha256, digestVersion };
  const summary = { ...body, ...counts, total, lastNumber, setDigest };
  return { kind: undone.length === 0 ? 'confirmed' : 'replaced', later, summary, change, after: set };
}

type Taken = Pick<UndoEmployeeSet, 'before' | 'holders'>;

/** Without those whose EmployeeID, e-mail address or phone number somebody else has now, and keeps. */
function withoutTaken(
  touched: readonly TouchedEmployee[],
  taken: Taken,
  present: EmployeeSet,
): readonly TouchedEmployee[] {
  const moving = new Set(touched.map(({ number }) => number));
  const needs = new Map<number, number[]>();
  for (const one of touched)
    for (const holder of holdersOf(one, taken, present))
      needs.set(holder, [...(needs.get(holder) ?? []), one.number]);
  // Who stays keeps others where they are, and these again others.
  const staying = [...needs].flatMap(([holder, others]) => (moving.has(holder) ? [] : others));
  for (const number of staying) if (moving.delete(number)) staying.push(...(needs.get(number) ?? []));
  return touched.filter(({ number }) => moving.has(number));
}

function holdersOf(
  { number, before: at }: TouchedEmployee,
  { before, holders }: Taken,
  present: EmployeeSet,
): readonly number[] {
  const index = at < 0 ? -1 : present.ids.find(before.ids.words, at * 4);
  return [...(index < 0 ? [] : [numberAt(present, index)]), ...(holders?.get(number) ?? [])];
}

function restoredSet(
  present: EmployeeSet,
  { restored, changed, left }: SetNumbers,
  { before, after, digester }: Pick<UndoEmployeeSet, 'before' | 'after' | 'digester'>,
): EmployeeSet {
  const builder = new EmployeeSetBuilder(present, digester);
  const digests = (at: number) => ({
    idDigest: before.ids.words.subarray(at * 4, at * 4 + 4),
    digest: before.digests.subarray(at * 4, at * 4 + 4),
  });
  for (const { number } of left) builder.apply({ kind: 'left', number });
  for (const { number, before: at, after: now } of changed) {
    const { idDigest, digest } = digests(at);
    const isRenamed = !hasSameId([before, at], [after, now]);
    builder.apply({ kind: 'changed', number, digest, ...(isRenamed && { idDigest }) });
  }
  for (const { number, before: at } of restored) builder.apply({ kind: 'restored', number, ...digests(at) });
  return builder.finish();
}

const numberAt = (set: EmployeeSet, index: number): number =>
  index < set.count ? (set.numbers[index] ?? Infinity) : Infinity;

type Place = readonly [set: EmployeeSet, index: number];

function isSame([one, i]: Place, [other, j]: Place): boolean {
  return i < 0 || j < 0 ? i === j : sameWords(one.digests, i, other.digests, j);
}

const hasSameId = ([one, i]: Place, [other, j]: Place): boolean =>
  sameWords(one.ids.words, i, other.ids.words, j);

function sameWords(one: Uint32Array, i: number, other: Uint32Array, j: number): boolean {
  for (let word = 0; word < 4; word++) if (one[i * 4 + word] !== other[j * 4 + word]) return false;
  return true;
}

/** Characters of a chunk, about. */
const chunkLength = 64 * 1024;

/** The event's JSON text. `valuesOf` gives the values as they were, as JSON text. */
export const undoneSource = (
  { summary, change }: Extract<EmployeeSetUndo, { readonly summary: EmployeeSetSummary }>,
  sets: SetPair,
  valuesOf: (number: number) => string,
): { chunks(): Iterable<Uint8Array> } => ({
  chunks: function* () {
    let text = `${JSON.stringify(summary).slice(0, -1)},"added":[`;
    for (const part of parts(change, sets, valuesOf)) {
      text += part;
      if (text.length < chunkLength) continue;
      yield Buffer.from(text);
      text = '';
    }
    yield Buffer.from(`${text}]}`);
  },
});

function* parts(
  { changed, left, restored }: SetNumbers,
  { before, after }: SetPair,
  valuesOf: (number: number) => string,
): Generator<string> {
  const entry = ({ number, before: at }: TouchedEmployee, hasId: boolean): string => {
    const idDigest = hasId ? { idDigest: toHex(before.ids.words, at * 4) } : {};
    const head = JSON.stringify({ number, ...idDigest, digest: toHex(before.digests, at * 4) });
    return `${head.slice(0, -1)},"values":${valuesOf(number)}}`;
  };
  const list = function* (all: readonly TouchedEmployee[], textOf: (one: TouchedEmployee) => string) {
    for (const [at, one] of all.entries()) yield `${at === 0 ? '' : ','}${textOf(one)}`;
  };
  yield '],"changed":[';
  yield* list(changed, (one) => entry(one, !hasSameId([before, one.before], [after, one.after])));
  yield '],"left":[';
  yield* list(left, ({ number }) => JSON.stringify({ number }));
  yield '],"restored":[';
  yield* list(restored, (one) => entry(one, true));
}
