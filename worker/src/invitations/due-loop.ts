import {
  companiesToSend,
  invitationsAreDue,
  InvitationsSnapshot,
  OpenInvitations,
  type OpenOfCompany,
  type OpenReader,
  FailureReport,
  type Clock,
  type EventReader,
  type DueInvitation,
  type ProcessLogger,
  type QueuePublisher,
  type StateSnapshots,
  batchesOf,
  groupedBy,
  growingDelay,
  sleep as sleepByTimer,
  type RateLimiter,
  type Sleep,
} from '@rollcall/application';
import { type InvitationsAreDue, maxDueInvitations } from '@rollcall/contracts';

export const LOOK_EVERY_MS = 1_000;

/** After a longer pause no more is published: others would wait behind it. */
const maxLookMs = 5_000;

/** A published and still due invitation is published again after this time: the queue may lose everything. */
export const AGAIN_AFTER_MS = 30_000;
const maxDelayMs = 600_000;

/** Bounds a company's abandoned ones, so that others still get room. */
const maxUnclosed = 1_000;

const batchSize = 50;

interface DueInvitationsDeps {
  readonly queue: QueuePublisher;
  readonly readModels: OpenReader;
  readonly limiter: Pick<RateLimiter, 'rate' | 'isAway'>;
  readonly clock: Clock;
  readonly onOldest?: (ms: number) => void;
}

type CompanyDue = Omit<InvitationsAreDue, 'type'>;

interface Published {
  readonly at: number;
  readonly times: number;
}

/** Entries in their first interval delay others. An older open one, as of an unreadable stream, must not starve the rest. */
function holdBack(published: Iterable<Published>, now: number): number {
  const all = [...published];
  const first = all.filter(({ at, times }) => times === 1 && Math.abs(now - at) < AGAIN_AFTER_MS).length;
  return first + Math.max(0, all.length - first - maxUnclosed);
}

/** The clock may have been set back since. */
const isDueAgain = ({ at, times }: Published, now: number): boolean =>
  Math.abs(now - at) >= growingDelay(times, AGAIN_AFTER_MS, maxDelayMs);

/** What the rate allows until the next poll, as long as the last one: at most two polls' worth outstanding. Fractions add up. */
const allowance = (perSecond: number, [from, to]: readonly [number, number], outstanding: number): number => {
  const upTo = (ms: number): number => Math.floor((perSecond * ms) / 1_000);
  const perLook = Math.max(1, upTo(to) - upTo(from));
  return Math.max(0, Math.min(perLook, 2 * perLook - outstanding));
};

/** Publishes due invitations round-robin by company, at the sending rate. Duplicates by other workers do no harm. */
export class DueInvitations {
  readonly #deps: DueInvitationsDeps;
  /** By company: published, and still due at the last poll. */
  #published = new Map<number, Map<number, Published>>();
  readonly #open: OpenInvitations;
  #last = 0;
  /** From the poll before, within bounds, to the last one. */
  #span: readonly [number, number];

  constructor(deps: DueInvitationsDeps, open = new OpenInvitations()) {
    this.#deps = deps;
    this.#span = [0, deps.clock.now()];
    this.#open = open;
  }

  /** Polls once; returns how many were published. Throws in an outage; the rest follows at the next poll. */
  async look(): Promise<number> {
    const { readModels, clock, onOldest } = this.#deps;
    const now = clock.now();
    this.#span = [now - Math.min(Math.max(now - this.#span[1], LOOK_EVERY_MS), maxLookMs), now];
    const { companies } = await companiesToSend(readModels, now, this.#open);
    const chosen = await this.#choose(inTurn(companies, this.#last));
    onOldest?.(now - companies.reduce((oldest, { earliest }) => Math.min(oldest, earliest), now));
    for (const messages of batchesOf(byCompany(chosen), batchSize))
      await Promise.all(messages.map((each) => this.#publish(each)));
    this.#last = chosen.at(-1)?.companyId ?? this.#last;
    return chosen.length;
  }

  /** Reads those of companies with published ones, then of others until enough have one. */
  async #choose(turn: readonly OpenOfCompany[]): Promise<readonly DueInvitation[]> {
    const { clock, limiter } = this.#deps;
    const before = this.#published;
    this.#published = new Map();
    const known = new Map<number, CompanyDue>();
    for (const open of turn) {
      const published = before.get(open.companyId);
      if (published) known.set(open.companyId, await this.#dueOf(open, published));
    }
    const now = clock.now();
    let outstanding = 0;
    this.#published.forEach((each) => (outstanding += holdBack(each.values(), now)));
    const most = allowance(limiter.rate.total, this.#span, outstanding);
    const due: CompanyDue[] = [];
    for (const open of turn) {
      let one = known.get(open.companyId);
      if (due.length < most) one ??= await this.#dueOf(open, new Map());
      if (one && one.numbers.length > 0) due.push(one);
    }
    return oneOfEach(due, most);
  }

  async #dueOf(open: OpenOfCompany, published: ReadonlyMap<number, Published>): Promise<CompanyDue> {
    const { readModels, clock, limiter } = this.#deps;
    const { companyId } = open;
    const now = clock.now();
    const still = new Map<number, Published>();
    const fresh: number[] = [];
    const again: number[] = [];
    const perLook = allowance(limiter.rate.perCompany, this.#span, 0);
    for (const { number } of await open.due(readModels, { now, limit: perLook + published.size })) {
      const known = published.get(number);
      if (known === undefined) fresh.push(number);
      else still.set(number, known);
      if (known !== undefined && !limiter.isAway && isDueAgain(known, now)) again.push(number);
    }
    if (still.size > 0) this.#published.set(companyId, still);
    const room = allowance(limiter.rate.perCompany, this.#span, holdBack(still.values(), now));
    return { companyId, numbers: [...again.slice(0, Math.ceil(perLook / 2)), ...fresh.slice(0, room)] };
  }

  async #publish({ companyId, numbers }: CompanyDue): Promise<void> {
    const { queue, clock } = this.#deps;
    await queue.publish('invitations', invitationsAreDue(companyId, numbers));
    const known = this.#published.get(companyId) ?? new Map<number, Published>();
    for (const number of numbers)
      known.set(number, { at: clock.now(), times: (known.get(number)?.times ?? 0) + 1 });
    this.#published.set(companyId, known);
  }
}

const inTurn = (companies: readonly OpenOfCompany[], last: number): readonly OpenOfCompany[] => [
  ...companies.filter(({ companyId }) => companyId > last),
  ...companies.filter(({ companyId }) => companyId <= last),
];

function byCompany(chosen: readonly DueInvitation[]): readonly CompanyDue[] {
  return [...groupedBy(chosen, ({ companyId }) => companyId)].flatMap(([companyId, all]) => {
    const batches = batchesOf(all, maxDueInvitations);
    return Array.from(batches, (some) => ({ companyId, numbers: some.map(({ number }) => number) }));
  });
}

/** One per company, then another of each, up to `most`. */
function oneOfEach(due: readonly CompanyDue[], most: number): readonly DueInvitation[] {
  const chosen: DueInvitation[] = [];
  const longest = Math.max(0, ...due.map(({ numbers }) => numbers.length));
  for (let round = 0; round < longest; round++)
    for (const { companyId, numbers } of due) {
      const number = numbers[round];
      if (chosen.length >= most) return chosen;
      if (number !== undefined) chosen.push({ companyId, number });
    }
  return chosen;
}

interface DueLoopOptions extends DueInvitationsDeps {
  readonly log: EventReader;
  readonly snapshots: StateSnapshots;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Polls every second, and at each planned moment, until the signal aborts; failures are retried at the next poll. */
export async function runDueInvitations(options: DueLoopOptions): Promise<void> {
  const { signal, logger, clock, sleep = sleepByTimer } = options;
  const snapshot = new InvitationsSnapshot(options);
  const looking = new FailureReport({ logger, message: 'due invitations were not looked for' });
  const saving = new FailureReport({ logger, message: 'open invitations were not saved' });
  let open: OpenInvitations | undefined;
  let due: DueInvitations | undefined;
  while (!signal.aborted) {
    await looking.tried(async () => {
      open ??= await InvitationsSnapshot.load(options);
      due ??= new DueInvitations(options, open);
      await due.look();
    });
    await saving.tried(async () => open && snapshot.save(open));
    await sleep(Math.min(LOOK_EVERY_MS, open?.nextAfter(clock.now()) ?? Infinity), signal);
  }
}
