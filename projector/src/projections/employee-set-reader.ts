import {
  type EmployeeSetFold,
  type OrderEntries,
  type OrderEntry,
  PlanRanges,
} from '@rollcall/application/read';
import {
  type EntryRows,
  MisshapenSet,
  parseUtcDate,
  readEntryRows,
  readSetElement,
  SetEventParser,
} from '@rollcall/domain';
import type { EmployeeBlocks } from './employee-blocks.js';
import { parsedRow } from './employee-row.js';

const MOST_MOMENTS = 1_000;

function entryOf(key: string): OrderEntry {
  const end = key.indexOf('\0');
  return [key.slice(0, end), Number(key.slice(end + 1))];
}

/** Reads an `EmployeeSetReplaced` in chunks: rows go to their blocks, ids and plans of new employees are held to the end. `fold` is shown its entries. */
export class EmployeeSetReader {
  readonly plans = new PlanRanges();
  readonly #blocks: EmployeeBlocks;
  readonly #fold: EmployeeSetFold | undefined;
  readonly #parser: SetEventParser;
  readonly #orderKeys: string[] = [];
  #last = -1;
  readonly #moments = new Map<string, number>();

  constructor(blocks: EmployeeBlocks, fold?: EmployeeSetFold) {
    this.#blocks = blocks;
    this.#fold = fold;
    this.#parser = new SetEventParser(
      (kind, bytes, start, end) => {
        fold?.entry(kind, bytes, start);
        if (kind === 'left') this.#blocks.left(readSetElement(kind, bytes, start).number);
        else this.#take(kind, parsedRow({ kind, bytes, start, end }));
      },
      (kind, bytes, start) =>
        kind === 'left'
          ? start
          : readEntryRows({ bytes, start }, kind, (rows, digests) => {
              fold?.entries(kind, digests);
              this.#take(kind, rows);
            }),
      (summary) => fold?.begin(summary),
    );
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  /** Nothing is missing. */
  finish(): void {
    this.#parser.finish();
    this.#fold?.finish();
    this.#blocks.endAdded();
  }

  /** New employees in the order of their ids. */
  order(): OrderEntries {
    const keys = this.#orderKeys.sort();
    return { length: keys.length, slice: (from, to) => keys.slice(from, to).map(entryOf) };
  }

  #take(kind: 'added' | 'changed', rows: EntryRows): void {
    if (kind === 'changed') {
      this.#blocks.changed(rows);
      return;
    }
    for (let at = 0; at < rows.ends.length; at += 1) {
      const number = rows.numbers[at] ?? 0;
      if (number <= this.#last) throw new MisshapenSet('the numbers of new employees do not rise');
      this.#last = number;
      this.#orderKeys.push(rows.orderKeys[at] ?? '');
      const due = rows.dues[at];
      if (due !== undefined) this.plans.add(number, this.#momentOf(due));
    }
    this.#blocks.added(rows);
  }

  /** Those of an import are due at a few moments. */
  #momentOf(text: string): number {
    const known = this.#moments.get(text);
    if (known !== undefined) return known;
    const due = parseUtcDate(text);
    if (due === null) throw new MisshapenSet('an invitation is due at no moment');
    if (this.#moments.size < MOST_MOMENTS) this.#moments.set(text, due);
    return due;
  }
}
