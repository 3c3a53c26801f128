import {
  BlockBuilder,
  blockOf,
  blocksCollection,
  type BlockPlace,
  noBlock,
  placeBehind,
  type RowsText,
  type BlockParts,
  changesIn,
  type DocumentKey,
  type DocumentWrite,
  evolveChanges,
  evolveRows,
  newestIn,
  revisionsOf,
  type RowChanges,
  rowNow,
  UnwritableDocument,
  withKeptDate,
} from '@rollcall/application/read';
import type { DocumentsInHand } from '../documents-in-hand.js';
import { writeOf, type LaterChange } from '../document-changes.js';

/** Undefined: removed. `isChanged`: keeps the InvitationDate of the row before. */
interface RowChange {
  readonly row: Uint8Array | undefined;
  readonly isChanged: boolean;
}

interface BlockRows {
  readonly companyId: number;
  readonly block: number;
  readonly from: BlockPlace;
  readonly to: BlockPlace;
  /** Those of later events are added. */
  readonly rows: Map<number, RowChange>;
}

/** Row changes of one block. Those of consecutive events are merged, up to one that makes the block whole. */
export class LaterRows implements LaterChange {
  readonly collection = blocksCollection;
  readonly keys: readonly DocumentKey[];
  readonly name: string;
  readonly bytes: number;
  readonly #events: BlockRows[];

  constructor(first: BlockRows) {
    const { companyId, block, from, rows } = first;
    this.name = `${blocksCollection} ${companyId} ${block}`;
    this.keys = revisionsOf(from).map((revision) => [companyId, block, revision]);
    this.#events = [first];
    this.bytes = [...rows.values()].reduce((sum, { row }) => sum + (row?.length ?? 0), 0);
  }

  add(next: LaterChange): void {
    if (!(next instanceof LaterRows)) throw new TypeError('rows are changed by rows');
    for (const event of next.#events) {
      const last = this.#events.at(-1);
      if (last === undefined || isWhole(last.to)) this.#events.push(event);
      else this.#events.splice(-1, 1, { ...last, to: event.to, rows: merged(last.rows, event.rows) });
    }
  }

  /** Writes a new block. `UnwritableDocument` where the old one is gone: lost, or replaced by another projector since the set was read. */
  writes(stored: readonly (Uint8Array | undefined)[]): readonly DocumentWrite[] {
    if (stored.includes(undefined)) throw new UnwritableDocument(`${this.name} is missing`);
    const [block, changes] = stored;
    const parts = this.#changed({ block, changes });
    const to = this.#events.at(-1)?.to ?? [-1];
    return [
      ...(this.#events.some((one) => isWhole(one.to)) ? this.#write(to[0], parts.block) : []),
      ...(isWhole(to) ? [] : this.#write(newestIn(to), parts.changes)),
    ];
  }

  #changed(stored: BlockParts): BlockParts {
    try {
      return this.#events.reduce(behind, stored);
    } catch (cause) {
      throw new UnwritableDocument('the rows of a block cannot be changed', { cause });
    }
  }

  #write(revision: number, value: Uint8Array | undefined): DocumentWrite[] {
    const [{ companyId, block } = { companyId: 0, block: 0 }] = this.#events;
    const key = [companyId, block, revision];
    return value === undefined ? [] : [{ op: 'put', collection: blocksCollection, key, revision, value }];
  }
}

type Rows = BlockRows['rows'];

/** A changed row keeps the date of the one before it, also where that one keeps that of the stored one. */
function merged(all: Rows, rows: Rows): Rows {
  for (const [number, change] of rows) {
    const known = change.isChanged ? all.get(number) : undefined;
    const row = change.row && withKeptDate(change.row, known?.row);
    all.set(number, { row, isChanged: known?.isChanged ?? change.isChanged });
  }
  return all;
}

function behind(parts: BlockParts, { block, to, rows }: BlockRows): BlockParts {
  const next = rowsBehind(parts, rows);
  if (!isWhole(to)) return { block: parts.block, changes: evolveChanges(parts.changes, next) };
  const all = new Map([...changesIn(parts.changes, block), ...next]);
  return { block: evolveRows(parts.block, all), changes: undefined };
}

const isWhole = (place: BlockPlace): boolean => place.length === 1;

const rowsBehind = (parts: BlockParts, rows: BlockRows['rows']): RowChanges =>
  new Map(
    Array.from(rows, ([number, { row, isChanged }]) => [
      number,
      row && isChanged ? withKeptDate(row, rowNow(parts, number)) : row,
    ]),
  );

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
    this.#builder ??= new BlockBuilder(this.#rows);
    this.#builder.addAll(rows, from, to);
  }

  endAdded(): void {
    this.#endBlock();
  }

  #endBlock(): void {
    const block = this.#builder?.finish();
    this.#builder = undefined;
    if (block === undefined) return;
    this.#rows = Math.max(this.#rows, block.length);
    const { companyId, revision } = this.#place;
    const place = { collection: blocksCollection, key: [companyId, this.#block, revision], revision };
    this.#written.set(this.#block, [revision]);
    this.#documents.set(writeOf(place, { value: block }), block.buffer);
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
    const copy = Buffer.from(text.subarray(start, ends[to - 1]));
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
    const places = [...this.#before];
    for (const [block, place] of this.#written) {
      while (places.length < block) places.push(noBlock);
      places[block] = place;
    }
    return places;
  }

  #changeOf(block: number): BlockRows {
    const { companyId, revision } = this.#place;
    const rows = this.#held.get(block) ?? new Map<number, RowChange>();
    const from = this.#before[block] ?? noBlock;
    return { companyId, block, from, to: placeBehind(from, { block, revision, rows: rows.size }), rows };
  }
}
