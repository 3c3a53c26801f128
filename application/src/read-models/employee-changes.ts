import type { DocumentKey, ReadModelReader } from '../ports/read-models.js';
import { fromJson } from './documents.js';

/** [companyId, page, 0]: changes of a page's events, a JSON array; [companyId, page, revision]: of one that names many. */
export const changesCollection = 'employee-changes';

const pageRevisions = 64;
const maxSharedLength = 256;

const pageOf = (revision: number): number => Math.floor(revision / pageRevisions);

/** What one event has made of a company's employees. */
export interface SetChange {
  readonly revision: number;
  /** When it was recorded (ms). */
  readonly at: number;
  /** Employees behind it. */
  readonly total: number;
  /** Of those whom it names: first number and count of each range. */
  readonly ranges: readonly number[];
}

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

export interface ChangeDocument {
  readonly key: DocumentKey;
  readonly behind: (stored: Uint8Array | undefined) => Uint8Array;
}

/** The document that has this change, behind those which it has already. */
export function changeDocument(
  companyId: number,
  { revision, at, total, ranges }: SetChange,
): ChangeDocument {
  const text = JSON.stringify([revision, at, total, ...ranges]);
  return {
    key: [companyId, pageOf(revision), text.length > maxSharedLength ? revision : 0],
    behind: (stored) =>
      Buffer.from(
        stored === undefined
          ? `[${text}]`
          : `${Buffer.from(stored).toString('latin1').slice(0, -1)},${text}]`,
      ),
  };
}

const changesIn = (document: Uint8Array): readonly SetChange[] =>
  (fromJson(document) as [number, number, number, ...number[]][]).map(([revision, at, total, ...ranges]) => ({
    ...{ revision, at, total, ranges },
  }));

/** By falling revision from this one on, in batches. */
export async function* changesBack(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  from?: number,
): AsyncGenerator<readonly SetChange[]> {
  let [page, changes] = [-1, [] as SetChange[]];
  const ended = (): readonly SetChange[] =>
    changes
      .filter(({ revision }) => revision <= (from ?? Infinity))
      .sort((one, other) => other.revision - one.revision);
  const bound = from === undefined ? {} : { after: [companyId, pageOf(from) + 1] as const };
  const options = { prefix: [companyId], ...bound, reverse: true };
  for await (const { key, value } of readModels.find(changesCollection, options)) {
    const own = Number(key[1]);
    if (own !== page) {
      yield ended();
      [page, changes] = [own, []];
    }
    changes.push(...changesIn(value));
  }
  yield ended();
}
