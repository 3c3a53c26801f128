import type { ReadModelReader, StoredDocument } from '../ports/read-models.js';
import { fromJson } from './documents.js';

export const plansCollection = 'invitation-plans';

/** `count` invitations from number `first` on, due at the same moment (ms since the epoch). */
export type PlannedRange = readonly [first: number, count: number, due: number];

/** `invitation-plans` [companyId, last number], by rising number; without ranges, of an undo, before them. Later events are in `invitation-progress`. */
export interface PlansDocument {
  readonly operationId: string;
  readonly first: number;
  readonly ranges: readonly PlannedRange[];
}

export interface PlannedInvitation {
  readonly number: number;
  readonly due: number;
}

export const maxPlanRanges = 1024;

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

  *documents(operationId: string): Generator<PlansDocument> {
    for (let from = 0; from < this.#ranges.length; from += maxPlanRanges) {
      const ranges = this.#ranges.slice(from, from + maxPlanRanges);
      const [first] = ranges[0] ?? [0];
      yield { operationId, first, ranges };
    }
  }
}

export function lastPlanned({ ranges }: PlansDocument): number {
  const [first, count] = ranges.at(-1) ?? [0, 0];
  return first + count - 1;
}

export function dueOf({ ranges }: PlansDocument, number: number): number | undefined {
  const range = ranges.find(([first, count]) => number >= first && number < first + count);
  return range?.[2];
}

export function* plannedBehind({ ranges }: PlansDocument, after = -1): Generator<PlannedInvitation> {
  for (const [first, count, due] of ranges)
    for (let number = Math.max(first, after + 1); number < first + count; number += 1) yield { number, due };
}

/** ISO 8601 UTC to the second. */
export const dueText = (due: number): string => `${new Date(due).toISOString().slice(0, 19)}Z`;

/** A document of `invitation-plans`: immutable; later ones have higher numbers. */
export interface StoredPlans {
  readonly last: number;
  readonly revision: number;
  readonly plans: PlansDocument;
}

export async function* readPlans(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  after?: number,
): AsyncGenerator<StoredPlans> {
  const options = { prefix: [companyId], ...(after !== undefined && { after: [companyId, after] as const }) };
  for await (const stored of readModels.find(plansCollection, options)) yield plansOf(stored);
}

/** Of all companies, from a position of the log on. */
export async function* readPlansFrom(
  readModels: Pick<ReadModelReader, 'findByIndex'>,
  from: number,
): AsyncGenerator<StoredPlans & { readonly companyId: number }> {
  for await (const stored of readModels.findByIndex(plansCollection, 'position', {
    prefix: [],
    from,
  }))
    yield { ...plansOf(stored), companyId: Number(stored.key[0]) };
}

function plansOf({ key, revision, value }: StoredDocument): StoredPlans {
  return { last: Number(key[1]), revision, plans: fromJson(value) as PlansDocument };
}

/** The plan of a number: the first document that reaches it. */
export async function readPlansOf(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  number: number,
): Promise<StoredPlans | undefined> {
  const options = { prefix: [companyId], after: [companyId, number - 1], limit: 1 } as const;
  for await (const stored of readModels.find(plansCollection, options)) return plansOf(stored);
  return undefined;
}

/** The planned due moments by number; each plan is read once. */
export async function readPlannedDues(
  readModels: Pick<ReadModelReader, 'find'>,
  companyId: number,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  let known: StoredPlans | undefined;
  for (const number of [...numbers].sort((one, other) => one - other)) {
    if (known === undefined || known.last < number) known = await readPlansOf(readModels, companyId, number);
    if (known === undefined) break;
    const due = dueOf(known.plans, number);
    if (due !== undefined) found.set(number, dueText(due));
  }
  return found;
}
