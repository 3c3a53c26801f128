import type { ReadModelReader } from '../ports/read-models.js';
import { behindOthers, pageOf, type SharedDocument } from './employee-changes.js';
import { fromJson } from './documents.js';

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
      yield { key: [companyId, page, 0], behind: (stored) => behindOthers(stored, JSON.stringify(pairs)) };
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
      if (!Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(String(word))) continue;
      const pairs = fromJson(value) as readonly number[];
      pairs.forEach((each, at) => {
        if (at % 2 === 0 && each === word) numbers.add(pairs[at + 1] ?? 0);
      });
    }
  return [...numbers];
}
