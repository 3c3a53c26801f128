import {
  type EmployeeSetFold,
  GivenIds,
  NamedNumbers,
  PlanRanges,
  type LoadedEvent,
} from '@rollcall/application/read';
import {
  type EntryRows,
  MisshapenSet,
  readEntryRows,
  readSetElement,
  SetEventParser,
} from '@rollcall/employee-lists/set';
import { parseUtcDate } from '@rollcall/employee-lists/text';
import type { EmployeeSetSummary } from '@rollcall/contracts';
import type { RowSink } from './employee-blocks.js';
import { parsedRow } from '../employee-rows/employee-row.js';

const MOST_MOMENTS = 1_000;

/** Rows go to their blocks as chunks arrive; plans of new employees are held to the end. `fold` gets each entry. */
export class EmployeeSetReader {
  readonly plans = new PlanRanges();
  readonly named = new NamedNumbers();
  readonly ids = new GivenIds();
  /** The members before the lists; present once the event was read. */
  summary: EmployeeSetSummary | undefined;
  readonly #rows: RowSink;
  readonly #fold: EmployeeSetFold | undefined;
  readonly #parser: SetEventParser;
  #last = -1;
  readonly #moments = new Map<string, number>();

  constructor(rows: RowSink, fold?: EmployeeSetFold, known?: EmployeeSetSummary) {
    this.#rows = rows;
    this.#fold = fold;
    this.#parser = new SetEventParser(
      (kind, bytes, start, end) => {
        fold?.entry(kind, bytes, start);
        const element = readSetElement(kind, bytes, start);
        if ('idDigest' in element) this.ids.add(element.idDigest, 0, element.number);
        if (kind === 'left') this.#leaves(element.number);
        else this.#take(kind, parsedRow({ kind, bytes, start, end }));
      },
      (kind, bytes, start) =>
        kind === 'left' || kind === 'restored'
          ? start
          : readEntryRows({ bytes, start }, kind, (rows, digests) => {
              fold?.entries(kind, digests);
              if (kind === 'added')
                digests.numbers.forEach((number, at) => this.ids.add(digests.idDigests, 4 * at, number));
              this.#take(kind, rows);
            }),
      (summary) => {
        fold?.begin(summary);
        this.summary = summary;
      },
      known,
    );
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  finish(): void {
    this.#parser.finish();
    this.#fold?.finish();
    this.#rows.endAdded();
  }

  #leaves(number: number): void {
    this.named.add(number);
    this.#rows.left(number);
  }

  /** One who returns has the row with its date, and no row before it. */
  #take(kind: 'added' | 'changed' | 'restored', rows: EntryRows): void {
    for (let at = 0; at < rows.ends.length; at += 1) this.named.add(rows.numbers[at] ?? 0);
    if (kind !== 'added') {
      this.#rows.changed(rows);
      return;
    }
    for (let at = 0; at < rows.ends.length; at += 1) {
      const number = rows.numbers[at] ?? 0;
      if (number <= this.#last) throw new MisshapenSet('the numbers of new employees do not rise');
      this.#last = number;
      const due = rows.dues[at];
      if (due !== undefined) this.plans.add(number, this.#momentOf(due));
    }
    this.#rows.added(rows);
  }

  /** Cached: the plans of an import have few moments. */
  #momentOf(text: string): number {
    const known = this.#moments.get(text);
    if (known !== undefined) return known;
    const due = parseUtcDate(text);
    if (due === null) throw new MisshapenSet('an invitation is due at no moment');
    if (this.#moments.size < MOST_MOMENTS) this.#moments.set(text, due);
    return due;
  }
}

/** A larger event is read twice, in bounded memory. */
const maxHeldBytes = 8 * 1024 * 1024;

/** Verified before the first chunk: documents stored at an event's revision are never written again. `LogCorrupt`. */
export async function* verifiedChunks(event: LoadedEvent): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = [];
  const isHeld = event.size <= maxHeldBytes;
  // A chunk that is all of the data lies in the event itself.
  for await (const chunk of event.chunks())
    if (isHeld) held.push(chunk.length === event.size ? chunk : new Uint8Array(chunk));
  if (isHeld) yield* held;
  else yield* event.chunks(true);
}
