import {
  BlockBuilder,
  blockOf,
  blocksCollection,
  type BlockPlace,
  noBlock,
  placeBehind,
  releaseMemory,
  type RowsText,
} from '@rollcall/application/read';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { stages, writeOf } from '../document-changes.js';
import { type BlockRows, LaterRows, type RowChange } from '../employee-rows/later-rows.js';

/** Assumed bytes of a row. */
const ROW_BYTES = 400;

export interface RowSink {
  /** Ascending numbers; the rows are copied. */
  added(rows: RowsText): void;
  endAdded(): void;
  changed(rows: RowsText): void;
  left(number: number): void;
}

/** For an event whose rows are all stored. */
export const ignoredRows: RowSink = {
  added: () => undefined,
  endAdded: () => undefined,
  changed: () => undefined,
  left: () => undefined,
};

export interface SetPlace {
  readonly companyId: number;
  readonly revision: number;
  readonly stream: string;
}

/** The rows of one event. Blocks of new rows are complete one by one; changes of others are held, to write each once. */
export class EmployeeBlocks implements RowSink {
  readonly #documents: DocumentsInHand;
  readonly #place: SetPlace;
  readonly #before: readonly BlockPlace[];
  readonly #written = new Map<number, BlockPlace>();
  /** By block, then by number. */
  readonly #held = new Map<number, Map<number, RowChange>>();
  #block = -1;
  /** Bytes of the largest block so far. */
  #rows = ROW_BYTES;
  /** Memory of written blocks: fresh memory costs more than filling it. */
  readonly #free: Uint8Array<ArrayBuffer>[] = [];
  #builder: BlockBuilder | undefined;

  constructor(documents: DocumentsInHand, place: SetPlace, before: readonly BlockPlace[]) {
    this.#documents = documents;
    this.#place = place;
    this.#before = before;
  }

  added(rows: RowsText): void {
    const { numbers, ends } = rows;
    for (let from = 0, to = 1; from < ends.length; from = to, to += 1) {
      const block = blockOf(numbers[from] ?? 0);
      while (to < ends.length && blockOf(numbers[to] ?? 0) === block) to += 1;
      this.#addTo(block, rows, { from, to });
    }
  }

  #addTo(block: number, rows: RowsText, { from, to }: { readonly from: number; readonly to: number }): void {
    if (this.#before[block] !== undefined) {
      this.#holdAll(rows, { from, to, isChanged: false });
      return;
    }
    if (block !== this.#block) this.#endBlock();
    this.#block = block;
    this.#builder ??= new BlockBuilder(this.#rows, this.#free.pop());
    this.#builder.addAll(rows, from, to);
  }

  endAdded(): void {
    this.#endBlock();
    for (const { buffer } of this.#free.splice(0)) releaseMemory(buffer);
  }

  #endBlock(): void {
    const builder = this.#builder;
    const block = builder?.finish();
    this.#builder = undefined;
    if (builder === undefined || block === undefined) return;
    this.#rows = Math.max(this.#rows, block.length);
    const { companyId, revision } = this.#place;
    const place = { collection: blocksCollection, key: [companyId, this.#block, revision], revision };
    const free = (): unknown => this.#free.push(builder.memory);
    this.#written.set(this.#block, [revision]);
    this.#documents.set(writeOf(place, { value: block }), stages.documents, free);
  }

  changed(rows: RowsText): void {
    this.#holdAll(rows, { from: 0, to: rows.ends.length, isChanged: true });
  }

  left(number: number): void {
    this.#hold(number, { row: undefined, isChanged: false });
  }

  #holdAll(
    { numbers, ends, text }: RowsText,
    { from, to, isChanged }: { readonly from: number; readonly to: number; readonly isChanged: boolean },
  ): void {
    let start = from === 0 ? 0 : (ends[from - 1] ?? 0);
    const shift = start;
    const copy = new Uint8Array(text.subarray(start, ends[to - 1]));
    for (let at = from; at < to; at += 1) {
      const end = ends[at] ?? 0;
      this.#hold(numbers[at] ?? 0, { row: copy.subarray(start - shift, end - shift), isChanged });
      start = end;
    }
  }

  #hold(number: number, held: RowChange): void {
    const block = blockOf(number);
    const rows = this.#held.get(block) ?? new Map<number, RowChange>();
    this.#held.set(block, rows);
    rows.set(number, held);
  }

  /** Writes the held changes. Returns where their blocks are afterwards. */
  async writeHeld(): Promise<readonly BlockPlace[]> {
    for (const block of [...this.#held.keys()].sort((one, other) => one - other)) {
      const change = this.#changeOf(block);
      this.#documents.changeLater(new LaterRows(change));
      this.#written.set(block, change.to);
      this.#held.delete(block);
      await this.#documents.makeRoom();
    }
    const last = [...this.#written.keys()].reduce((one, other) => Math.max(one, other), -1);
    return Array.from(
      { length: Math.max(this.#before.length, last + 1) },
      (_, block) => this.#written.get(block) ?? this.#before[block] ?? noBlock,
    );
  }

  #changeOf(block: number): BlockRows {
    const { companyId, revision } = this.#place;
    const rows = this.#held.get(block) ?? new Map<number, RowChange>();
    const from = this.#before[block] ?? noBlock;
    return { companyId, block, from, to: placeBehind(from, { block, revision, rows: rows.size }), rows };
  }
}
