import { type EmployeeSetFold, type OrderRun, PlanRanges } from '@rollcall/application/read';
import {
  MisshapenSet,
  parseUtcDate,
  type EntryHead,
  readEntryHead,
  readSetElement,
  SetEventParser,
} from '@rollcall/domain';
import type { EmployeeBlocks } from './employee-blocks.js';
import { EmployeeRows, type EntryPlace } from './employee-row.js';

/** Reads an `EmployeeSetReplaced` in chunks: rows go to their blocks, ids and plans of new employees are held to the end. `fold` is shown its entries. */
export class EmployeeSetReader {
  readonly plans = new PlanRanges();
  readonly #blocks: EmployeeBlocks;
  readonly #fold: EmployeeSetFold | undefined;
  readonly #rows: EmployeeRows;
  readonly #parser: SetEventParser;
  readonly #orderKeys: string[] = [];
  #kind: EntryPlace['kind'] = 'added';
  #last = -1;
  #moment = { text: Buffer.alloc(0), due: 0 };

  constructor(companyId: number, blocks: EmployeeBlocks, fold?: EmployeeSetFold) {
    this.#blocks = blocks;
    this.#fold = fold;
    this.#rows = new EmployeeRows(companyId, (number, row, orderKey) => this.#take(number, row, orderKey));
    this.#parser = new SetEventParser((kind, bytes, start, end) => {
      fold?.entry(kind, bytes, start, end);
      if (kind === 'left') this.#blocks.left(readSetElement(kind, bytes, start, end).number);
      else this.#present({ kind, bytes, start, end });
    });
  }

  push(chunk: Uint8Array): void {
    this.#parser.push(chunk);
  }

  /** Nothing is missing. */
  finish(): void {
    const summary = this.#parser.finish();
    this.#fold?.finish(summary);
    this.#blocks.endAdded();
  }

  /** New employees in the order of their ids. */
  order(): OrderRun {
    return this.#orderKeys.sort().map((key) => {
      const end = key.indexOf('\0');
      return [key.slice(0, end), Number(key.slice(end + 1))];
    });
  }

  #present(entry: EntryPlace): void {
    this.#kind = entry.kind;
    const head = readEntryHead(entry.kind, entry.bytes, entry.start);
    this.#rows.row(entry, head);
    if (head.dueStart > 0) this.plans.add(head.number, this.#momentOf(entry.bytes, head));
  }

  #take(number: number, row: Uint8Array, orderKey: string): void {
    if (this.#kind === 'changed') {
      this.#blocks.changed(number, row);
      return;
    }
    if (number <= this.#last) throw new MisshapenSet('the numbers of new employees do not rise');
    this.#last = number;
    this.#orderKeys.push(orderKey);
    this.#blocks.added(number, row);
  }

  /** Nearly all of an import are due at the same moment. */
  #momentOf(bytes: Buffer, { dueStart, dueEnd }: EntryHead): number {
    const { text, due } = this.#moment;
    if (bytes.compare(text, 0, text.length, dueStart, dueEnd) === 0) return due;
    const dueAt = bytes.toString('latin1', dueStart, dueEnd);
    const moment = parseUtcDate(dueAt);
    if (moment === null) throw new MisshapenSet('an invitation is due at no moment');
    this.#moment = { text: Buffer.from(dueAt), due: moment };
    return moment;
  }
}
