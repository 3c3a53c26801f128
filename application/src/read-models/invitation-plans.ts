/** The collection of `PlansDocument`. */
export const plansCollection = 'invitation-plans';

/** `count` invitations of numbers from `first` on that are due at the same moment, ms since the epoch. */
export type PlannedRange = readonly [first: number, count: number, due: number];

/**
 * `invitation-plans` [companyId, last number]: which invitations an import planned, in rising numbers. What happens to one of them since stands in `invitation-progress`; who has left has no row.
 */
export interface PlansDocument {
  readonly operationId: string;
  /** The first number of the first range. */
  readonly first: number;
  readonly ranges: readonly PlannedRange[];
}

/** An invitation that is planned: whose, and when it is due (ms since the epoch). */
export interface PlannedInvitation {
  readonly number: number;
  readonly due: number;
}

/** A document has at most so many ranges. */
export const PLAN_RANGES = 1024;

/** Makes ranges of invitations that come in rising numbers. */
export class PlanRanges {
  readonly #ranges: [first: number, count: number, due: number][] = [];
  #last = -1;

  add(number: number, due: number): void {
    if (number <= this.#last) throw new RangeError('the numbers of planned invitations do not rise');
    const range = this.#ranges.at(-1);
    if (range !== undefined && range[2] === due && number === this.#last + 1) range[1] += 1;
    else this.#ranges.push([number, 1, due]);
    this.#last = number;
  }

  /** The documents of one import; none where none was planned. */
  *documents(operationId: string): Generator<PlansDocument> {
    for (let from = 0; from < this.#ranges.length; from += PLAN_RANGES) {
      const ranges = this.#ranges.slice(from, from + PLAN_RANGES);
      const [first] = ranges[0] ?? [0];
      yield { operationId, first, ranges };
    }
  }
}

/** The last number that a document plans for: that of its key. */
export function lastPlanned({ ranges }: PlansDocument): number {
  const [first, count] = ranges.at(-1) ?? [0, 0];
  return first + count - 1;
}

/** When the invitation of a number is due; undefined where the document plans none. */
export function dueOf({ ranges }: PlansDocument, number: number): number | undefined {
  const range = ranges.find(([first, count]) => number >= first && number < first + count);
  return range?.[2];
}

/** All of a document's invitations in rising numbers, or those behind a number. */
export function* plannedBehind({ ranges }: PlansDocument, after = -1): Generator<PlannedInvitation> {
  for (const [first, count, due] of ranges)
    for (let number = Math.max(first, after + 1); number < first + count; number += 1) yield { number, due };
}

/** A moment as events tell it: ISO 8601 UTC to the second. */
export const dueText = (due: number): string => `${new Date(due).toISOString().slice(0, 19)}Z`;
