import type { ReadModelReader } from '../ports/read-models.js';
import { readPresent } from '../read-models/employee-rows.js';
import type { PlannedInvitation, PlannedRange } from '../read-models/invitation-plans.js';
import { invitationCollections, type ProgressDocument } from './documents.js';
import { readPlansFrom, type StoredPlans } from './read-plans.js';

type Reader = Pick<ReadModelReader, 'findByIndex' | 'getMany'>;
type OpenReader = Pick<ReadModelReader, 'findByIndex' | 'progress' | 'parkedStreams'>;

/** So many planned invitations are looked up at once. */
const TOGETHER = 512;

export interface DueUpTo {
  /** Ms since the epoch. */
  readonly now: number;
  readonly limit: number;
}

/**
 * The invitations of all companies that are to be looked at. A company of which none is open is in no list and is asked
 * for nothing: plans are found by their place in the log, what has begun by its index.
 */
export class OpenInvitations {
  readonly #companies = new Map<number, OpenOfCompany>();
  /** Plans up to this position were read, but for those of streams that were parked then. */
  #readTo = -1;
  #parked: ReadonlySet<string> = new Set();

  /** The companies that may have something due, by their ids in rising order. */
  async companiesDue(readModels: OpenReader, now: number): Promise<readonly OpenOfCompany[]> {
    await this.#readOn(readModels);
    const due = new Set<OpenOfCompany>();
    for (const open of this.#companies.values())
      if (open.isEmpty) this.#companies.delete(open.companyId);
      else if (open.next <= now) due.add(open);
    for await (const companyId of companiesBegun(readModels)) due.add(this.#of(companyId));
    return [...due].sort((one, other) => one.companyId - other.companyId);
  }

  /**
   * What is read may be read again after a failure; what is parked comes behind the progress some day. A progress that went back
   * is of a log that was put back: nothing that was read counts.
   */
  async #readOn(readModels: OpenReader): Promise<void> {
    const { position } = await readModels.progress();
    const readTo = Number(position ?? -1n);
    if (readTo < this.#readTo) {
      this.#companies.clear();
      this.#readTo = -1;
    }
    const parked = new Set((await readModels.parkedStreams()).map(({ stream }) => stream));
    const isMended = [...this.#parked].some((stream) => !parked.has(stream));
    const from = isMended ? 0 : this.#readTo + 1;
    for await (const { companyId, ...plans } of readPlansFrom(readModels, from))
      this.#of(companyId).add(plans);
    this.#readTo = readTo;
    this.#parked = parked;
  }

  #of(companyId: number): OpenOfCompany {
    const known = this.#companies.get(companyId) ?? new OpenOfCompany(companyId);
    this.#companies.set(companyId, known);
    return known;
  }
}

/** Of whose invitations some have begun and are to be looked at some time. */
async function* companiesBegun(readModels: OpenReader): AsyncGenerator<number> {
  for (let from = 0, last = -1; from > last;) {
    const options = { prefix: [], from, limit: 1 };
    last = from;
    for await (const { key } of readModels.findByIndex(invitationCollections.progress, 'due', options)) {
      const companyId = Number(key[0]);
      yield companyId;
      from = companyId + 1;
    }
  }
}

/**
 * The invitations of a company that are to be looked at. Plans never change, so those that were read once are kept, as
 * ranges, until something has happened to each of their invitations or the employee has left: neither is ever undone. What
 * happens to it from then on stands with its progress.
 */
export class OpenOfCompany {
  readonly companyId: number;
  #open: PlannedRange[] = [];
  /** Plans up to this number were added. */
  #readTo = -1;
  /** The earliest moment that is planned (ms since the epoch). */
  next = Infinity;

  constructor(companyId: number) {
    this.companyId = companyId;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Those of one company come in rising numbers; the same ones may come again. */
  add({ last, plans }: StoredPlans): void {
    if (last <= this.#readTo) return;
    this.#readTo = last;
    this.#open.push(...plans.ranges);
    this.next = Math.min(this.next, earliest(plans.ranges));
  }

  /** Those that are due, in the order of their moments. */
  async due(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const begun = await this.#begun(readModels, { now, limit });
    const planned = await this.#planned(readModels, { now, limit });
    return [...begun, ...planned].sort((one, other) => one.due - other.due).slice(0, limit);
  }

  /** Of those to which something has happened. */
  async #begun(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const options = { prefix: [this.companyId], upTo: now, limit };
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
    this.next = earliest(this.#open);
    return found;
  }

  async #areOpen(readModels: Reader, some: readonly PlannedInvitation[]): Promise<readonly boolean[]> {
    const numbers = some.map(({ number }) => number);
    const keys = numbers.map((number) => [this.companyId, number] as const);
    const begun = await readModels.getMany(
      invitationCollections.progress,
      keys,
      (document) => document !== undefined,
    );
    const present = await readPresent(readModels, this.companyId, numbers);
    return numbers.map((_, at) => begun[at] === false && present[at] === true);
  }
}

const earliest = (ranges: readonly PlannedRange[]): number =>
  ranges.reduce((first, [, , due]) => Math.min(first, due), Infinity);

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
