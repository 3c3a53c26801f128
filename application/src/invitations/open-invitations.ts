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
export type OpenReader = Reader & Pick<ReadModelReader, 'find' | 'progress' | 'parkedStreams'>;

/** Begun ones that one read finds, the earliest first. */
const maxBegun = 1_000;

/** Companies that a worker asks one by one at a look whose read is full, by default. */
const maxAsked = 100;

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
  #askFrom = 0;
  readonly #mostAsked: number;

  constructor(mostAsked = maxAsked) {
    this.#mostAsked = mostAsked;
  }

  static from(saved: SavedInvitations | undefined, mostAsked?: number): OpenInvitations {
    const all = new OpenInvitations(mostAsked);
    all.#readTo = saved?.readTo ?? -1;
    all.#parked = new Set(saved?.parked);
    for (const [companyId, own] of saved?.companies ?? []) all.#of(companyId).restore(own);
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

  async companiesDue(readModels: OpenReader, now: number): Promise<readonly OpenOfCompany[]> {
    await this.#readOn(readModels);
    await this.#findBegun(readModels, now);
    const due: OpenOfCompany[] = [];
    for (const open of this.#companies.values())
      if (open.earliest === Infinity) this.#companies.delete(open.companyId);
      else if (open.earliest <= now) due.push(open);
    return due.sort((one, other) => one.companyId - other.companyId);
  }

  /** Those of one company, due or not. */
  async ofCompany(readModels: OpenReader, companyId: number): Promise<OpenOfCompany> {
    await this.#readOn(readModels);
    const open = this.#companies.get(companyId) ?? new OpenOfCompany(companyId);
    open.begun = -Infinity;
    return open;
  }

  /** Plans may be read twice after a failure. A progress that went back means a restored log: forgets all. */
  async #readOn(readModels: OpenReader): Promise<void> {
    const readTo = Number((await readModels.progress()).position ?? -1n);
    if (readTo < this.#readTo) {
      this.#companies.clear();
      this.#readTo = -1;
    }
    const parked = new Set((await readModels.parkedStreams()).map((one) => `${one.stream} ${one.revision}`));
    // A stream that went on and was parked again has plans in between.
    const from = [...this.#parked].some((one) => !parked.has(one)) ? 0 : this.#readTo + 1;
    const undone = new Set<OpenOfCompany>();
    for await (const { companyId, ...plans } of readPlansFrom(readModels, from)) {
      const open = this.#of(companyId);
      open.add(plans);
      if (plans.plans.ranges.length === 0) undone.add(open);
    }
    // Undos: those who were away when theirs were due have come back.
    for (const open of undone) {
      const anew = new OpenOfCompany(open.companyId);
      for await (const each of readPlans(readModels, open.companyId)) anew.add(each);
      open.restore(anew.saved);
    }
    this.#readTo = readTo;
    this.#parked = parked;
  }

  /** One read finds them, unless it is full. Then each look asks some more companies, so that none hides another for long. */
  async #findBegun(readModels: OpenReader, now: number): Promise<void> {
    const found = await begunByDue(readModels, 'allDue', { prefix: [], upTo: now, limit: maxBegun });
    if (found.length < maxBegun) for (const open of this.#companies.values()) open.begun = Infinity;
    else
      for (let asked = 0; asked < this.#mostAsked; asked += 1) {
        const from = this.#askFrom;
        const [next] = await begunByDue(readModels, 'due', { prefix: [], from, limit: 1 });
        this.#askFrom = next === undefined ? 0 : next.companyId + 1;
        if (next === undefined) break;
        found.push(next);
      }
    for (const { companyId, due } of found.toReversed()) this.#of(companyId).begun = due;
  }

  #of(companyId: number): OpenOfCompany {
    const known = this.#companies.get(companyId) ?? new OpenOfCompany(companyId);
    this.#companies.set(companyId, known);
    return known;
  }
}

type Begun = PlannedInvitation & { readonly companyId: number };

async function begunByDue(
  readModels: Pick<Reader, 'findByIndex'>,
  index: 'allDue' | 'due',
  options: IndexOptions,
): Promise<Begun[]> {
  const found: Begun[] = [];
  for await (const { key, value } of readModels.findByIndex(invitationCollections.progress, index, options)) {
    const { due } = fromJson(value) as ProgressDocument;
    if (due !== null) found.push({ companyId: Number(key[0]), number: Number(key[1]), due });
  }
  return found;
}

/** Plans never change. They are kept as ranges until each invitation has begun or its employee has left. */
export class OpenOfCompany {
  readonly companyId: number;
  #open: PlannedRange[] = [];
  #revision = -1;
  /** The earliest planned moment (ms since the epoch). */
  next = Infinity;
  /** The earliest moment of one that has begun, as far as was found; -Infinity: unknown. */
  begun = Infinity;

  constructor(companyId: number) {
    this.companyId = companyId;
  }

  /** None is due earlier. */
  get earliest(): number {
    return Math.min(this.begun, this.next);
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
    const options = { prefix: [this.companyId], upTo: now, limit };
    const begun = this.begun > now ? [] : await begunByDue(readModels, 'due', options);
    this.begun = begun[0]?.due ?? Infinity;
    const found = [...begun, ...(await this.#planned(readModels, { now, limit }))];
    const first = found.sort((one, other) => one.due - other.due).slice(0, limit);
    return first.map(({ number, due }) => ({ number, due }));
  }

  async #planned(readModels: Reader, { now, limit }: DueUpTo): Promise<readonly PlannedInvitation[]> {
    const found: PlannedInvitation[] = [];
    const closed: number[] = [];
    for (const some of batchesOf(dueNumbers(this.#open, now), undefined, 2 * limit)) {
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
