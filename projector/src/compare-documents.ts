import { isDeepStrictEqual } from 'node:util';
import {
  apiCallsCollection,
  blocksCollection,
  callRowIn,
  type DocumentKey,
  fromJson,
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

/** Compares documents in key order, `live` against `rebuilt`. Yields differences, and how many documents were compared. */
export async function* differentDocuments(
  collection: string,
  live: ReadModelReader,
  rebuilt: ReadModelReader,
): AsyncGenerator<Difference | number> {
  const left = new Documents(live, collection);
  const right = new Documents(rebuilt, collection);
  let [ordinal, noted] = [0, 0];
  try {
    for (;;) {
      if (left.isRead || right.isRead) {
        yield ordinal - noted;
        noted = ordinal;
        await left.load();
        await right.load();
      }
      const { first, own, other } = firstOf(left, right);
      if (first === undefined) return;
      ordinal += 1;
      const place = { collection, key: first, ordinal };
      const difference = differenceBetween(place, own?.value, other?.value);
      if (difference !== undefined) yield difference;
    }
  } finally {
    await left.close();
    await right.close();
  }
}

/** Takes the documents of the first key. */
function firstOf(left: Documents, right: Documents) {
  const [one, other] = [left.key, right.key];
  const order = byKey(one, other);
  return {
    first: order > 0 ? other : one,
    own: order > 0 ? undefined : left.take(),
    other: order < 0 ? undefined : right.take(),
  };
}

/** Read by batches; a batch is valid until the next is loaded. */
class Documents {
  readonly #batches: AsyncIterator<readonly StoredDocument[]>;
  #batch: readonly StoredDocument[] = [];
  #at = 0;
  #isOver = false;
  key: DocumentKey | undefined;

  constructor(store: ReadModelReader, collection: string) {
    this.#batches = store.findBatches(collection, { prefix: [] })[Symbol.asyncIterator]();
  }

  get isRead(): boolean {
    return this.key === undefined && !this.#isOver;
  }

  async load(): Promise<void> {
    if (!this.isRead) return;
    const next = await this.#batches.next();
    this.#isOver = next.done === true;
    [this.#batch, this.#at] = [next.done === true ? [] : next.value, 0];
    this.key = this.#batch[0]?.key;
  }

  take(): StoredDocument | undefined {
    const taken = this.#batch[this.#at];
    this.#at += 1;
    this.key = this.#batch[this.#at]?.key;
    return taken;
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
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

/** Undefined sorts last. */
const byKey = (a: DocumentKey | undefined, b: DocumentKey | undefined): number =>
  a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compareKeys(a, b);

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
    if (collection === apiCallsCollection) return callRowIn(value);
    if (collection !== blocksCollection) return fromJson(value);
    const rows = Array.from(rowsOf(value, Number(key[1])), ({ number, row }) => [number, shownRow(row)]);
    return { rows: Object.fromEntries(rows) as unknown };
  } catch {
    return Buffer.from(value).toString('latin1');
  }
}

const shownRow = (row: Uint8Array): unknown =>
  hasLeft(row) ? 'left' : { ...(fromJson(recordText(row)) as object), InvitationDate: recordDate(row) };

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
