import type { ReadModelReader } from '../ports/read-models.js';
import { readPresent } from '../read-models/employee-rows.js';
import type { PlannedInvitation, PlannedRange } from '../read-models/invitation-plans.js';
import { invitationCollections, type ProgressDocument } from './documents.js';
import { readPlans } from './read-plans.js';

type Reader = Pick<ReadModelReader, 'find' | 'findByIndex' | 'getMany'>;

/** So many planned invitations are looked up at once. */
const TOGETHER = 512;

export interface DueUpTo {
  /** Ms since the epoch. */
  readonly now: number;
  readonly limit: number;
}

/**
 * The invitations of a company that are to be looked at. Plans never change, so those that were read once are kept, as
 * ranges, until something has happened to each of their invitations or the employee has left: neither is ever undone. What
 * happens to it from then on stands with its progress.
 */
export class OpenInvitations {
  readonly #companyId: number;
  /** In rising numbers. */
  #open: PlannedRange[] = [];
  /** Plans up to this number were read. */
  #readTo = -1;

  constructor(companyId: number) {
    this.#companyId = companyId;
  }

  /** Those that are due, in the order of their moments. */
  async due(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const begun = await this.#begun(readModels, { now, limit });
    await this.#readOn(readModels);
    const planned = await this.#planned(readModels, { now, limit });
    return [...begun, ...planned].sort((one, other) => one.due - other.due).slice(0, limit);
  }

  /** Of those to which something has happened. */
  async #begun(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const options = { prefix: [this.#companyId], upTo: now, limit };
    for await (const { key, value } of readModels.findByIndex(
      invitationCollections.progress,
      'due',
      options,
    )) {
      const { due } = JSON.parse(Buffer.from(value).toString()) as ProgressDocument;
      if (due !== null) found.push({ number: Number(key[1]), due });
    }
    return found;
  }

  async #readOn(readModels: Reader): Promise<void> {
    for await (const { last, plans } of readPlans(readModels, this.#companyId, this.#readTo)) {
      this.#open.push(...plans.ranges);
      this.#readTo = last;
    }
  }

  async #planned(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const closed: number[] = [];
    for (const some of runsOf(dueNumbers(this.#open, now))) {
      const isOpen = await this.#areOpen(readModels, some);
      for (const [at, one] of some.entries()) {
        if (isOpen[at] !== true) closed.push(one.number);
        else if (found.length < limit) found.push(one);
      }
      if (found.length >= limit) break;
    }
    this.#open = without(this.#open, closed);
    return found;
  }

  async #areOpen(readModels: Reader, some: readonly PlannedInvitation[]): Promise<readonly boolean[]> {
    const numbers = some.map(({ number }) => number);
    const keys = numbers.map((number) => [this.#companyId, number] as const);
    const begun = await readModels.getMany(
      invitationCollections.progress,
      keys,
      (document) => document !== undefined,
    );
    const present = await readPresent(readModels, this.#companyId, numbers);
    return numbers.map((_, at) => begun[at] === false && present[at] === true);
  }
}

/** The invitations of ranges that are due, the earliest first. */
function* dueNumbers(ranges: readonly PlannedRange[], now: number): Generator<PlannedInvitation> {
  const due = ranges.filter(([, , moment]) => moment <= now).sort((one, other) => one[2] - other[2]);
  for (const [first, count, moment] of due)
    for (let number = first; number < first + count; number += 1) yield { number, due: moment };
}

function* runsOf<T>(items: Iterable<T>): Generator<readonly T[]> {
  let some: T[] = [];
  for (const item of items) {
    some.push(item);
    if (some.length < TOGETHER) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** The ranges without these numbers, which are some of theirs in any order. */
export function without(ranges: readonly PlannedRange[], numbers: readonly number[]): PlannedRange[] {
  const gone = Uint32Array.from(numbers).sort();
  const left: PlannedRange[] = [];
  let next = 0;
  for (const [first, count, due] of ranges) {
    let from = first;
    for (let one = gone[next]; one !== undefined && one < first + count; one = gone[++next]) {
      if (one > from) left.push([from, one - from, due]);
      from = one + 1;
    }
    if (from < first + count) left.push([from, first + count - from, due]);
  }
  return left;
}
