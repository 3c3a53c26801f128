import {
  type BlockParts,
  type BlockPlace,
  blocksCollection,
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
import type { LaterChange } from '../document-changes.js';
import { Overtaken } from '../overtaken.js';

/** Undefined: removed. `isChanged`: keeps the InvitationDate of the row before. */
export interface RowChange {
  readonly row: Uint8Array | undefined;
  readonly isChanged: boolean;
}

export interface BlockRows {
  readonly companyId: number;
  readonly block: number;
  readonly from: BlockPlace;
  readonly to: BlockPlace;
  /** Those of later events are added. */
  readonly rows: Map<number, RowChange>;
}

type Memory = Uint8Array<ArrayBuffer>;

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

  /** Writes a new block. `Overtaken` where the old one is deleted: another projector is ahead. */
  writes(stored: readonly (Uint8Array | undefined)[], memory?: Memory): readonly DocumentWrite[] {
    if (stored.includes(undefined)) throw new Overtaken(`another projector has replaced ${this.name}`);
    const [block, changes] = stored;
    const parts = this.#changed({ block, changes }, this.#events.length === 1 ? memory : undefined);
    const to = this.#events.at(-1)?.to ?? [-1];
    return [
      ...(this.#events.some((one) => isWhole(one.to)) ? this.#write(to[0], parts.block) : []),
      ...(isWhole(to) ? [] : this.#write(newestIn(to), parts.changes)),
    ];
  }

  #changed(stored: BlockParts, memory: Memory | undefined): BlockParts {
    try {
      return this.#events.reduce((parts, one) => behind(parts, one, memory), stored);
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

function behind(parts: BlockParts, { block, to, rows }: BlockRows, memory: Memory | undefined): BlockParts {
  const next = rowsBehind(parts, rows);
  if (!isWhole(to)) return { block: parts.block, changes: evolveChanges(parts.changes, next, memory) };
  const all = new Map([...changesIn(parts.changes, block), ...next]);
  return { block: evolveRows(parts.block, all, memory), changes: undefined };
}

const isWhole = (place: BlockPlace): boolean => place.length === 1;

const rowsBehind = (parts: BlockParts, rows: BlockRows['rows']): RowChanges =>
  new Map(
    Array.from(rows, ([number, { row, isChanged }]) => [
      number,
      row && isChanged ? withKeptDate(row, rowNow(parts, number)) : row,
    ]),
  );
