import { batchesOf } from '../grouped-by.js';
import type { IndexOptions, ReadModelReader } from '../ports/read-models.js';
import { fromJson } from '../read-models/documents.js';
import { readPresent } from '../read-models/employee-rows.js';
import {
  type PlannedInvitation,
  type PlannedRange,
  readPlans,
  readPlansFrom,
  type StoredPlans,
} from '../read-models/invitation-plans.js';
import { awaitsReturn, invitationCollections, type ProgressDocument } from './documents.js';

type Reader = Pick<ReadModelReader, 'findByIndex' | 'getMany'>;
type OpenReader = Pick<ReadModelReader, 'find' | 'findByIndex' | 'progress' | 'parkedStreams'>;

interface DueUpTo {
  readonly now: number;
  readonly limit: number;
}

/** As JSON: what `OpenInvitations` knows. */
export interface SavedInvitations {
  readonly readTo: number;
  readonly parked: readonly string[];
  readonly companies: readonly (readonly [number, SavedOfCompany])[];
}

interface SavedOfCompany {
  readonly revision: number;
  readonly open: readonly PlannedRange[];
}

/** Invitations of all companies that need a poll. Companies without open invitations cost nothing. */
export class OpenInvitations {
  readonly #companies = new Map<number, OpenOfCompany>();
  /** Plans up to this position were read, except those of streams that were parked then. */
  #readTo = -1;
  /** Stream and revision of each. */
  #parked: ReadonlySet<string> = new Set();

  static from({ readTo, parked, companies }: SavedInvitations): OpenInvitations {
    const all = new OpenInvitations();
    all.#readTo = readTo;
    all.#parked = new Set(parked);
    for (const [companyId, saved] of companies) all.#of(companyId).restore(saved);
    return all;
  }

  /** In how many ms the next planned one is due, leaving out those that are due now. */
  nextAfter(now: number): number {
    let next = Infinity;
    for (const open of this.#companies.values()) if (open.next > now) next = Math.min(next, open.next);
    return next - now;
  }

  get saved(): SavedInvitations {
    const companies = [...this.#companies].map(([id, open]) => [id, open.saved] as const);
    return { readTo: this.#readTo, parked: [...this.#parked], companies };
  }

  /** Planned ones that have not begun, as far as `companiesDue` has read; those due may have begun since. */
  openOf(companyId: number): readonly PlannedRange[] {
    return this.#companies.get(companyId)?.saved.open ?? [];
  }

  async companiesDue(readModels: OpenReader, now: number): Promise<readonly OpenOfCompany[]> {
    await this.#readOn(readModels);
    const due = new Set<OpenOfCompany>();
    for (const open of this.#companies.values())
      if (open.isEmpty) this.#companies.delete(open.companyId);
      else if (open.next <= now) due.add(open);
    for await (const companyId of companiesBegun(readModels, now)) due.add(this.#of(companyId));
    return [...due].sort((one, other) => one.companyId - other.companyId);
  }

  /** Plans may be read twice after a failure. A progress that went back means a restored log: forgets all. */
  async #readOn(readModels: OpenReader): Promise<void> {
    const { position } = await readModels.progress();
    const readTo = Number(position ?? -1n);
    if (readTo < this.#readTo) {
      this.#companies.clear();
      this.#readTo = -1;
    }
    const streams = await readModels.parkedStreams();
    const parked = new Set(streams.map(({ stream, revision }) => `${stream} ${revision}`));
    // A stream that went on and was parked again has plans in between.
    const isMended = [...this.#parked].some((one) => !parked.has(one));
    const from = isMended ? 0 : this.#readTo + 1;
    for await (const { companyId, ...plans } of readPlansFrom(readModels, from)) {
      const open = this.#of(companyId);
      open.add(plans);
      // An undo: those who were away when theirs were due have come back.
      if (plans.plans.ranges.length === 0)
        for await (const each of readPlans(readModels, companyId)) open.add(each);
    }
    this.#readTo = readTo;
    this.#parked = parked;
  }

  #of(companyId: number): OpenOfCompany {
    const known = this.#companies.get(companyId) ?? new OpenOfCompany(companyId);
    this.#companies.set(companyId, known);
    return known;
  }
}

/** Those that have one to look at by now. The first entry of a company is its earliest. */
async function* companiesBegun(readModels: OpenReader, now: number): AsyncGenerator<number> {
  for (let from = 0, last = -1; from > last;) {
    const options = { prefix: [], from, limit: 1 };
    last = from;
    for await (const { companyId, due } of begunByDue(readModels, options)) {
      if (due <= now) yield companyId;
      from = companyId + 1;
    }
  }
}

async function* begunByDue(
  readModels: Pick<Reader, 'findByIndex'>,
  options: IndexOptions,
): AsyncGenerator<PlannedInvitation & { readonly companyId: number }> {
  const { progress } = invitationCollections;
  for await (const { key, value } of readModels.findByIndex(progress, 'due', options)) {
    const { due } = fromJson(value) as ProgressDocument;
    if (due !== null) yield { companyId: Number(key[0]), number: Number(key[1]), due };
  }
}

/** Plans never change. They are kept as ranges until each invitation has begun or its employee has left. */
export class OpenOfCompany {
  readonly companyId: number;
  #open: PlannedRange[] = [];
  #revision = -1;
  /** The earliest planned moment (ms since the epoch). */
  next = Infinity;

  constructor(companyId: number) {
    this.companyId = companyId;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  get saved(): SavedOfCompany {
    return { revision: this.#revision, open: [...this.#open] };
  }

  restore({ revision, open }: SavedOfCompany): void {
    this.#revision = revision;
    this.#open = [...open];
    this.next = earliest(open);
  }

  /** Idempotent: plans that were added before are open again until the next look at them. */
  add({ last, revision, plans }: StoredPlans): void {
    this.#revision = Math.max(this.#revision, revision);
    if (plans.first <= (this.#open.at(-1)?.[0] ?? -1)) {
      this.#open = this.#open.filter(([number]) => number < plans.first || number > last);
      this.#open = [...this.#open, ...plans.ranges].sort(([one], [other]) => one - other);
    } else this.#open.push(...plans.ranges);
    this.next = Math.min(this.next, earliest(plans.ranges));
  }

  async due(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const begun = await this.#begun(readModels, { now, limit });
    const planned = await this.#planned(readModels, { now, limit });
    return [...begun, ...planned].sort((one, other) => one.due - other.due).slice(0, limit);
  }

  async #begun(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const options = { prefix: [this.companyId], upTo: now, limit };
    for await (const { number, due } of begunByDue(readModels, options)) found.push({ number, due });
    return found;
  }

  async #planned(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const closed: number[] = [];
    for (const some of batchesOf(dueNumbers(this.#open, now))) {
      const presences = await this.#presences(readModels, some);
      for (const [at, one] of some.entries()) {
        if (presences[at] === 'closed') closed.push(one.number);
        else if (presences[at] === 'open' && found.length < limit) found.push(one);
      }
      if (found.length >= limit) break;
    }
    this.#open = without(this.#open, closed);
    this.next = earliest(this.#open);
    return found;
  }

  /** Until the set is as new as the plans, a missing row may still come. */
  async #presences(
    readModels: Reader,
    some: readonly PlannedInvitation[],
  ): Promise<readonly ('open' | 'unknown' | 'closed')[]> {
    const numbers = some.map(({ number }) => number);
    const keys = numbers.map((number) => [this.companyId, number] as const);
    const begun = await readModels.getMany(
      invitationCollections.progress,
      keys,
      (document) => document !== undefined && !awaitsReturn(fromJson(document) as ProgressDocument),
    );
    const { revision, present } = await readPresent(readModels, this.companyId, numbers);
    const missing = revision < this.#revision ? 'unknown' : 'closed';
    return numbers.map((_, at) => (begun[at] === true ? 'closed' : present[at] === true ? 'open' : missing));
  }
}

const earliest = (ranges: readonly PlannedRange[]): number =>
  ranges.reduce((first, [, , due]) => Math.min(first, due), Infinity);

function* dueNumbers(ranges: readonly PlannedRange[], now: number): Generator<PlannedInvitation> {
  const due = ranges.filter(([, , moment]) => moment <= now).sort((one, other) => one[2] - other[2]);
  for (const [first, count, moment] of due)
    for (let number = first; number < first + count; number += 1) yield { number, due: moment };
}

/** `numbers` are a subset, in any order. */
function without(ranges: readonly PlannedRange[], numbers: readonly number[]): PlannedRange[] {
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
