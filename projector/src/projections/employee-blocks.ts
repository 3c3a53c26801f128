import {
  BlockBuilder,
  blockOf,
  blocksCollection,
  fromJson,
  type NewestDocument,
  releaseMemory,
  rowOf,
  type RowsText,
} from '@rollcall/application/read';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { stages, writeOf } from '../document-changes.js';
import { Overtaken } from '../overtaken.js';
import type { RowChange } from './later-rows.js';

/** So many blocks are looked at together. */
const TOGETHER = 64;

/** What a row weighs that nothing is known of. */
const ROW_BYTES = 400;

/** Which company's set changes, by which event. */
export interface SetPlace {
  readonly companyId: number;
  readonly revision: number;
  readonly stream: string;
}

/** What is asked of a row that is stored. */
interface IdentifiedRow {
  readonly EmployeeID: string;
}

/**
 * The rows of one event. New numbers rise, so that blocks of nothing but new rows are complete one after the other. The rows of all
 * other blocks are held until the event is read: each block is written once.
 */
export class EmployeeBlocks {
  readonly #documents: DocumentsInHand;
  readonly #place: SetPlace;
  /** By block, then by number. */
  readonly #held = new Map<number, Map<number, RowChange>>();
  readonly #left: number[] = [];
  /** The block in which new rows begin: older ones may lie in it. */
  #first: number | undefined;
  #block = -1;
  /** What the largest block so far weighs. */
  #rows = ROW_BYTES;
  /** What written blocks lay in: fresh memory costs more than what is written to it. */
  readonly #free: Uint8Array<ArrayBuffer>[] = [];
  #builder: BlockBuilder | undefined;

  constructor(documents: DocumentsInHand, place: SetPlace) {
    this.#documents = documents;
    this.#place = place;
  }

  /** Higher numbers than those before; the rows are copied. */
  added(rows: RowsText): void {
    const { numbers, ends } = rows;
    for (let from = 0, to = 1; from < ends.length; from = to, to += 1) {
      const block = blockOf(numbers[from] ?? 0);
      while (to < ends.length && blockOf(numbers[to] ?? 0) === block) to += 1;
      this.#addTo(block, rows, { from, to });
    }
  }

  #addTo(block: number, rows: RowsText, { from, to }: { readonly from: number; readonly to: number }): void {
    this.#first ??= block;
    if (block === this.#first) {
      this.#holdAll(rows, { from, to, isChanged: false });
      return;
    }
    if (block !== this.#block) this.#endBlock();
    this.#block = block;
    this.#builder ??= new BlockBuilder(this.#rows, this.#free.pop());
    this.#builder.addAll(rows, from, to);
  }

  /** No new row comes any more. */
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
    const place = { collection: blocksCollection, key: [companyId, this.#block], revision };
    const free = (): unknown => this.#free.push(builder.memory);
    this.#documents.set(writeOf(place, { value: block }), stages.documents, free);
  }

  /** The rows are copied. */
  changed(rows: RowsText): void {
    this.#holdAll(rows, { from: 0, to: rows.ends.length, isChanged: true });
  }

  left(number: number): void {
    this.#left.push(number);
    this.#hold(number, { row: undefined, isChanged: false });
  }

  #holdAll(
    { numbers, ends, text }: RowsText,
    { from, to, isChanged }: { readonly from: number; readonly to: number; readonly isChanged: boolean },
  ): void {
    for (let at = from; at < to; at += 1) {
      const row = new Uint8Array(text.subarray(at === 0 ? 0 : ends[at - 1], ends[at]));
      this.#hold(numbers[at] ?? 0, { row, isChanged });
    }
  }

  #hold(number: number, held: RowChange): void {
    const block = blockOf(number);
    const rows = this.#held.get(block) ?? new Map<number, RowChange>();
    this.#held.set(block, rows);
    rows.set(number, held);
  }

  /** The EmployeeIDs of those who leave, sorted. Their rows are there until the order is written. */
  async leaving(): Promise<readonly string[]> {
    const ids: string[] = [];
    const blocks = new Set(this.#left.map(blockOf));
    for await (const [block, { revision, value }] of this.#stored([...blocks])) {
      if (revision >= this.#place.revision) throw overtaken(this.#place);
      for (const [number, held] of this.#held.get(block) ?? []) {
        if (held.row !== undefined) continue;
        const row = fromJson(value && rowOf(value, number)) as IdentifiedRow | undefined;
        if (row !== undefined) ids.push(row.EmployeeID);
      }
    }
    return ids.sort();
  }

  /** Those held blocks whose only changes are new rows: they are there before the order names them. */
  writeNew(): Promise<void> {
    const isNew = (rows: ReadonlyMap<number, RowChange>): boolean =>
      [...rows.values()].every(({ row, isChanged }) => row !== undefined && !isChanged);
    const blocks = [...this.#held].filter(([, rows]) => isNew(rows)).map(([block]) => block);
    return this.#write(blocks, stages.documents);
  }

  /** Every other block in which a row was held. */
  writeHeld(): Promise<void> {
    return this.#write([...this.#held.keys()], stages.behindDirectory);
  }

  async #write(blocks: readonly number[], stage: number): Promise<void> {
    const { companyId, revision } = this.#place;
    for (const block of blocks.toSorted((one, other) => one - other)) {
      const rows = this.#held.get(block) ?? new Map<number, RowChange>();
      this.#held.delete(block);
      this.#documents.changeRows({ key: [companyId, block], revision, stage, rows });
      await this.#documents.makeRoom();
    }
  }

  async *#stored(blocks: readonly number[]): AsyncGenerator<[number, NewestDocument]> {
    const sorted = blocks.toSorted((one, other) => one - other);
    for (let from = 0; from < sorted.length; from += TOGETHER) {
      const some = sorted.slice(from, from + TOGETHER);
      const keys = some.map((block) => [this.#place.companyId, block] as const);
      const found = await this.#documents.read(blocksCollection, keys);
      for (const [at, block] of some.entries())
        yield [block, found[at] ?? { revision: -1, value: undefined }];
    }
  }
}

export const overtaken = ({ stream, revision }: SetPlace): Overtaken =>
  new Overtaken(`another projector is ahead at revision ${revision} of ${stream}`);
