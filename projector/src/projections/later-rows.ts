import {
  blocksCollection,
  type DocumentKey,
  type DocumentWrite,
  evolveRows,
  type NewestDocument,
  rowOf,
  UnwritableDocument,
} from '@rollcall/application/read';
import { writeOf } from '../document-changes.js';
import { withDateOf } from './employee-row.js';

/** What becomes of a row: undefined is removed. `isChanged`: the InvitationDate of the one before stays. */
export interface RowChange {
  readonly row: Uint8Array | undefined;
  readonly isChanged: boolean;
}

/** Rows of a block that change when it is written: until then it is not held. */
export interface LaterRows {
  readonly key: DocumentKey;
  readonly revision: number;
  readonly stage: number;
  /** By number. */
  readonly rows: ReadonlyMap<number, RowChange>;
}

/** Of one block, in the order of revisions. */
export type LaterBlock = readonly [LaterRows, ...LaterRows[]];

export const bytesOfRows = ({ rows }: LaterRows): number =>
  [...rows.values()].reduce((sum, { row }) => sum + (row?.length ?? 0), 0);

export const stageOfBlock = (block: LaterBlock): number => Math.max(...block.map(({ stage }) => stage));

type Memory = Uint8Array<ArrayBuffer>;

/** The block with those changes that it does not have yet. It is copied once, however many they are; to `memory`, where it has room. */
export function changedBlock(
  stored: NewestDocument,
  changes: readonly LaterRows[],
  memory?: Memory,
): NewestDocument {
  const newer = changes.filter(({ revision }) => revision > stored.revision);
  const { revision } = newer.at(-1) ?? stored;
  return newer.length === 0 ? stored : { revision, value: rowsBehind(stored.value, newer, memory) };
}

function rowsBehind(
  block: Uint8Array | undefined,
  changes: readonly LaterRows[],
  memory: Memory | undefined,
): Uint8Array | undefined {
  const rows = new Map<number, Uint8Array | undefined>();
  try {
    for (const [number, { row, isChanged }] of changes.flatMap(({ rows }) => [...rows])) {
      const before = rows.has(number) ? rows.get(number) : block && rowOf(block, number);
      rows.set(number, row && isChanged ? withDateOf(row, before) : row);
    }
    return evolveRows(block, rows, memory);
  } catch (cause) {
    throw new UnwritableDocument('the rows of a block cannot be changed', { cause });
  }
}

/** Nothing where it has all of them. */
export function writesOfBlock(stored: NewestDocument, block: LaterBlock, memory?: Memory): DocumentWrite[] {
  const { revision, value } = changedBlock(stored, block, memory);
  const place = { collection: blocksCollection, key: block[0].key, revision };
  if (revision === stored.revision) return [];
  return [writeOf(place, value === undefined ? 'removed' : { value })];
}
