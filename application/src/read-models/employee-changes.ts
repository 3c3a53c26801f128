import { asBuffer } from '../event-store/linked-events.js';
import type { DocumentKey, ReadModelReader } from '../ports/read-models.js';
import { fromJson } from './documents.js';

/** [companyId, page, 0]: changes of a page's events, a JSON array; [companyId, page, revision]: of one that names many. */
export const changesCollection = 'employee-changes';

const pageRevisions = 64;
const maxSharedLength = 256;

const pageOf = (revision: number): number => Math.floor(revision / pageRevisions);

/** Of the document of an event that names few, and of a page's others. */
export const sharedKey = (companyId: number, revision: number): DocumentKey => [
  ...[companyId, pageOf(revision), 0],
];

/**
 * What one event has made of a company's employees: when it was recorded (ms), employees behind it, and first number and count of each
 * range of those whom it names.
 */
export type SetChange = readonly [revision: number, at: number, total: number, ...ranges: number[]];

/** Gathers the numbers that an event names. */
export class NamedNumbers {
  readonly ranges: number[] = [];
  #next = -1;

  add(number: number): void {
    const last = this.ranges.length - 1;
    if (number === this.#next) this.ranges[last] = (this.ranges[last] ?? 0) + 1;
    else this.ranges.push(number, 1);
    this.#next = number + 1;
  }
}

export interface SharedDocument {
  readonly key: DocumentKey;
  readonly behind: (stored: Uint8Array | undefined) => Uint8Array;
}

/** The document that has this change, behind those which it has already. */
export function changeDocument(companyId: number, change: SetChange): SharedDocument {
  const text = JSON.stringify(change);
  const [revision] = change;
  return {
    key:
      text.length > maxSharedLength
        ? [companyId, pageOf(revision), revision]
        : sharedKey(companyId, revision),
    behind: (stored) => behindOthers(stored, `[${text}]`),
  };
}

/** One JSON array behind another. */
const behindOthers = (stored: Uint8Array | undefined, array: string): Uint8Array =>
  stored === undefined
    ? Buffer.from(array)
    : Buffer.concat([stored.subarray(0, -1), Buffer.from(`,${array.slice(1)}`)]);

/** When the oldest change of a document was recorded (ms), without reading the others. */
const oldestIn = (document: Uint8Array): number =>
  Number(
    /^\[\[\d+,(?<at>\d+)/.exec(Buffer.from(document.subarray(0, 40)).toString('latin1'))?.groups?.['at'],
  );

interface ChangesWanted {
  /** A revision. */
  readonly from?: number | undefined;
  /** Documents whose changes are all newer (ms) may be left out. */
  readonly upTo?: () => number;
}

/** By falling revision from this one on, in batches. */
export async function* changesBack(
  readModels: Pick<ReadModelReader, 'findBatches'>,
  companyId: number,
  { from = Number.MAX_SAFE_INTEGER, upTo = () => Infinity }: ChangesWanted = {},
): AsyncGenerator<readonly SetChange[]> {
  let [page, changes] = [-1, [] as SetChange[]];
  const ended = (): readonly SetChange[] =>
    changes.filter(([revision]) => revision <= from).sort(([one], [other]) => other - one);
  const options = { prefix: [companyId], after: [companyId, pageOf(from) + 1], reverse: true } as const;
  for await (const batch of readModels.findBatches(changesCollection, options))
    for (const { key, value } of batch) {
      if (oldestIn(value) > upTo()) continue;
      const own = Number(key[1]);
      if (own !== page) {
        yield ended();
        [page, changes] = [own, []];
      }
      changes.push(...(fromJson(value) as readonly SetChange[]));
    }
  yield ended();
}

/**
 * [companyId, page, 0]: EmployeeIDs that a page's events give, a flat JSON array of the first 32 bits of each id's keyed digest and the
 * number; [companyId, page, revision, part]: of one that gives many.
 */
export const idsCollection = 'employee-ids';

/** Numbers in a document: an id has two, of some 18 bytes. */
const maxSharedIds = 32;
const idsOfPart = 400_000;

/** Gathers the ids that an event gives. */
export class GivenIds {
  readonly #pairs: number[] = [];

  /** The digest's words begin at `at`. */
  add(idDigest: ArrayLike<number>, at: number, number: number): void {
    this.#pairs.push(idDigest[at] ?? 0, number);
  }

  *documents(companyId: number, revision: number): Generator<SharedDocument> {
    const [pairs, page] = [this.#pairs, pageOf(revision)];
    if (pairs.length === 0) return;
    if (pairs.length <= maxSharedIds) {
      yield {
        key: sharedKey(companyId, revision),
        behind: (stored) => behindOthers(stored, JSON.stringify(pairs)),
      };
      return;
    }
    for (let from = 0; from < pairs.length; from += idsOfPart) {
      const own = JSON.stringify(pairs.slice(from, from + idsOfPart));
      yield { key: [companyId, page, revision, String(from)], behind: () => Buffer.from(own) };
    }
  }
}

/** Numbers that have had an EmployeeID with these first bits of its digest. */
export async function numbersOfId(
  readModels: Pick<ReadModelReader, 'findBatches'>,
  companyId: number,
  word: number,
): Promise<readonly number[]> {
  const numbers = new Set<number>();
  for await (const batch of readModels.findBatches(idsCollection, { prefix: [companyId] }))
    for (const { value } of batch) {
      if (!asBuffer(value).includes(String(word))) continue;
      const pairs = fromJson(value) as readonly number[];
      pairs.forEach((each, at) => {
        if (at % 2 === 0 && each === word) numbers.add(pairs[at + 1] ?? 0);
      });
    }
  return [...numbers];
}
