import { fromJson } from './documents.js';

/** Readers may use a replaced set for this long (ms), or until its cost exceeds `keptParts`. */
export const REPLACED_KEPT_MS = 10 * 60_000;

/**
 * Of a large set twice its own documents. A small one is read sooner, and each of its events writes all kept parts again.
 * A block costs four, because most other documents are small.
 */
const keptParts = (own: number): number => Math.max(Math.min(512, 16 * own), 2 * own);
const BLOCK_COST = 4;

/** Changed rows after which a block is rewritten; up to twice as many, so that not all are rewritten at once. */
const CHANGED_ROWS = 16;

export const employeeSetsCollection = 'employee-sets';

/** The revision that wrote the block (-1: none), that of its changed rows, and at most how many these are. */
export type BlockPlace = readonly [block: number, changes?: number, rows?: number];

export const noBlock: BlockPlace = [-1];

export const newestIn = ([block, changes = block]: BlockPlace): number => changes;

export const revisionsOf = ([block, changes]: BlockPlace): readonly number[] =>
  block < 0 ? [] : changes === undefined ? [block] : [block, changes];

/** After an event that changes `rows` rows. It follows from the log, however events are batched. */
export function placeBehind(
  [whole, , before = 0]: BlockPlace,
  { block, revision, rows }: { readonly block: number; readonly revision: number; readonly rows: number },
): BlockPlace {
  const changed = before + rows;
  const isMuch = changed > CHANGED_ROWS + (block % CHANGED_ROWS);
  return whole < 0 || isMuch ? [revision] : [whole, revision, changed];
}

type ReplacedBlock = readonly [block: number, place: BlockPlace];

/** Replaced by one event: `blocks` that it rewrote whole, and `changes` documents that it rewrote. */
interface ReplacedParts {
  readonly by: number;
  /** When the event was recorded (ms since the epoch). */
  readonly at: number;
  readonly blocks: readonly ReplacedBlock[];
  readonly changes: readonly ReplacedBlock[];
}

export interface SetHead {
  readonly revision: number;
  readonly total: number;
  readonly setDigest: string;
  readonly lastNumber: number;
}

export interface EmployeeSet {
  readonly companyId: number;
  readonly revision: number;
  readonly blocks: readonly BlockPlace[];
}

/** `employee-sets` [companyId]. Copy-on-write: an event writes other blocks, then this document, and so the set at once. */
export interface EmployeeSetDocument extends SetHead, Pick<EmployeeSet, 'blocks'> {
  readonly replaced: readonly ReplacedParts[];
  /** By this event, and again where the event is repeated. */
  readonly deleted: readonly ReplacedParts[];
  /** The revision of the oldest readable set. */
  readonly since: number;
}

export const setOfDocument = (value: Uint8Array | undefined): EmployeeSetDocument | undefined =>
  fromJson(value) as EmployeeSetDocument | undefined;

/** `at`: when the event was recorded (ms since the epoch). */
export function replacedSet(
  before: EmployeeSetDocument | undefined,
  head: SetHead,
  blocks: readonly BlockPlace[],
  at: number,
): EmployeeSetDocument {
  const own = { by: head.revision, at, ...leftOf(before, blocks) };
  const all = [...(before?.replaced ?? []), ...(costOf(own) > 0 ? [own] : [])];
  let room = keptParts(blocks.length);
  const first = all.findLastIndex((older) => {
    room -= older === own ? 0 : costOf(older);
    return room < 0 || older.at + REPLACED_KEPT_MS <= at;
  });
  const deleted = all.slice(0, first + 1);
  const since = deleted.at(-1)?.by ?? before?.since ?? 0;
  return { ...head, blocks, replaced: all.slice(first + 1), deleted, since };
}

const costOf = ({ blocks, changes }: Omit<ReplacedParts, 'by' | 'at'>): number =>
  BLOCK_COST * blocks.length + changes.length;

function leftOf(
  before: Pick<EmployeeSet, 'blocks'> | undefined,
  blocks: readonly BlockPlace[],
): Omit<ReplacedParts, 'by' | 'at'> {
  const [whole, changes]: [ReplacedBlock[], ReplacedBlock[]] = [[], []];
  for (const [block, place] of (before?.blocks ?? []).entries()) {
    const now = blocks[block] ?? noBlock;
    if (place[0] < 0 || newestIn(place) === newestIn(now)) continue;
    (now[0] === place[0] ? changes : whole).push([block, place]);
  }
  return { blocks: whole, changes };
}

export interface WantedSet {
  readonly revision?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Undefined where no readable set has this revision. */
export function setAt(
  { revision: newest, blocks, replaced, since }: EmployeeSetDocument,
  companyId: number,
  { revision = newest, now }: WantedSet,
): EmployeeSet | undefined {
  if (revision === newest) return { companyId, revision, blocks };
  const later = replaced.filter(({ by }) => by > revision);
  if (revision < since || later.some(({ at }) => at + REPLACED_KEPT_MS <= now)) return undefined;
  const then = blocksAt(revision, blocks, later);
  // An event of a set adds blocks or replaces some; the deleted parts of the oldest readable set are no longer listed.
  const revisions = [...then.map(newestIn), ...replaced.map(({ by }) => by), since || -1];
  return revisions.includes(revision) ? { companyId, revision, blocks: then } : undefined;
}

function blocksAt(revision: number, newest: readonly BlockPlace[], later: readonly ReplacedParts[]) {
  const isThere = (place: BlockPlace): boolean => newestIn(place) <= revision;
  const then = newest.map((place) => (isThere(place) ? place : noBlock));
  for (const [block, place] of later.flatMap((parts) => [...parts.blocks, ...parts.changes]))
    if (isThere(place)) then[block] = place;
  return then;
}
