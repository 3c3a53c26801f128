import { isDeepStrictEqual } from 'node:util';
import {
  blocksCollection,
  type DocumentKey,
  hasLeft,
  type ReadModelReader,
  recordDate,
  recordText,
  rowsOf,
  type StoredDocument,
} from '@rollcall/application/read';

/** The key may hold a personal value; `describeDifference` leaves it out. */
export interface Difference {
  readonly collection: string;
  readonly key: DocumentKey;
  /** Counted from 1 in key order. */
  readonly ordinal: number;
  readonly what: 'missing' | 'superfluous' | 'other';
  readonly members: readonly string[];
}

/** Compares documents in key order, `live` against `rebuilt`. */
export async function* differentDocuments(
  collection: string,
  live: ReadModelReader,
  rebuilt: ReadModelReader,
): AsyncGenerator<Difference | undefined> {
  const left = live.find(collection, { prefix: [] })[Symbol.asyncIterator]();
  const right = rebuilt.find(collection, { prefix: [] })[Symbol.asyncIterator]();
  let ordinal = 0;
  try {
    for await (const pair of pairs(left, right)) {
      const place = { collection, key: keyOf(pair), ordinal: (ordinal += 1) };
      yield differenceBetween(place, pair.live?.value, pair.rebuilt?.value);
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
}

type Documents = AsyncIterator<StoredDocument>;
type Pair = Readonly<Record<'live' | 'rebuilt', StoredDocument | undefined>>;

const keyOf = ({ live, rebuilt }: Pair): DocumentKey => (live ?? rebuilt)?.key ?? [];

async function* pairs(left: Documents, right: Documents): AsyncGenerator<Pair> {
  let live = await take(left);
  let rebuilt = await take(right);
  while (live !== undefined || rebuilt !== undefined) {
    const order = byKey(live, rebuilt);
    yield { live: order > 0 ? undefined : live, rebuilt: order < 0 ? undefined : rebuilt };
    if (order <= 0) live = await take(left);
    if (order >= 0) rebuilt = await take(right);
  }
}

type Place = Pick<Difference, 'collection' | 'key' | 'ordinal'>;

export function differenceBetween(
  { collection, key, ordinal }: Place,
  live: Uint8Array | undefined,
  rebuilt: Uint8Array | undefined,
): Difference | undefined {
  const place = { collection, key, ordinal };
  if (live === undefined)
    return rebuilt === undefined ? undefined : { ...place, what: 'missing', members: [] };
  if (rebuilt === undefined) return { ...place, what: 'superfluous', members: [] };
  if (Buffer.compare(live, rebuilt) === 0) return undefined;
  const [own, other] = [live, rebuilt].map((value) => contentOf(place, value));
  const members = differentMembers(own, other);
  return members === undefined ? undefined : { ...place, what: 'other', members };
}

/** Shows an operation id of the key, but no other text, which may be personal. */
export function describeDifference({ collection, key, ordinal, what, members }: Difference): string {
  const shown = key.map((part) => (typeof part === 'number' || isUuid(part) ? String(part) : '*')).join(', ');
  const which = `document ${ordinal} of ${collection} [${shown}]`;
  switch (what) {
    case 'missing':
      return `${which} is missing`;
    case 'superfluous':
      return `${which} should not be there`;
    case 'other':
      return `${which} is another one${members.length > 0 ? ` in ${members.join(', ')}` : ''}`;
    default:
      return what satisfies never;
  }
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

async function take(documents: Documents): Promise<StoredDocument | undefined> {
  const next = await documents.next();
  if (next.done === true) return undefined;
  // Copied: the other store is read before this value is used.
  return { key: next.value.key, revision: next.value.revision, value: Uint8Array.from(next.value.value) };
}

/** Undefined sorts last. */
const byKey = (a: StoredDocument | undefined, b: StoredDocument | undefined): number =>
  a === undefined || b === undefined
    ? Number(a === undefined) - Number(b === undefined)
    : compareKeys(a.key, b.key);

/** Key order: common parts, then the shorter key first, numbers before text. */
function compareKeys(a: DocumentKey, b: DocumentKey): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  const [one, other] = [a[at], b[at]];
  if (one === undefined || other === undefined) return a.length - b.length;
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  return one < other ? -1 : 1;
}

/** Compares JSON by its values, a block by its rows, anything else by bytes. */
function contentOf({ collection, key }: Place, value: Uint8Array): unknown {
  try {
    if (collection !== blocksCollection) return parse(value);
    const rows = Array.from(rowsOf(value, Number(key[1])), ({ number, row }) => [number, shownRow(row)]);
    return { rows: Object.fromEntries(rows) as unknown };
  } catch {
    return Buffer.from(value).toString('latin1');
  }
}

const shownRow = (row: Uint8Array): unknown =>
  hasLeft(row) ? 'left' : { ...(parse(recordText(row)) as object), InvitationDate: recordDate(row) };

const parse = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString('utf8'));

/** Undefined where only the order of members differs. */
function differentMembers(live: unknown, rebuilt: unknown): readonly string[] | undefined {
  if (isDeepStrictEqual(live, rebuilt)) return undefined;
  const a = membersOf(live);
  const b = membersOf(rebuilt);
  const different = [...new Set([...a.keys(), ...b.keys()])].filter(
    (name) => !isDeepStrictEqual(a.get(name), b.get(name)),
  );
  return different.flatMap((name) => (name === 'rows' ? rowMembers(a.get(name), b.get(name)) : [name]));
}

/** Of the first differing row that both have. */
function rowMembers(live: unknown, rebuilt: unknown): readonly string[] {
  const [a, b] = [membersOf(live), membersOf(rebuilt)];
  for (const [number, row] of a) {
    if (!isDeepStrictEqual(row, b.get(number)) && b.has(number))
      return differentMembers(row, b.get(number)) ?? [];
  }
  return [];
}

const membersOf = (document: unknown): Map<string, unknown> =>
  new Map(typeof document === 'object' && document !== null ? Object.entries(document) : []);
