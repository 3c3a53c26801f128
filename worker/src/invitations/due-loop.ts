import {
  framesOf,
  invitationCollections,
  invitationIsDue,
  problemOf,
  type Clock,
  type ProcessLogger,
  type QueuePublisher,
  type ReadModelReader,
  sleep as sleepByTimer,
  type InvitationRate,
  type Sleep,
} from '@rollcall/application';

export const LOOK_EVERY_MS = 1_000;

/** What was published and is still due after so long is published again: the queue may lose everything. */
export const AGAIN_AFTER_MS = 30_000;

/** How many messages are published at once. */
const BATCH = 50;

export interface DueInvitationsDeps {
  readonly queue: QueuePublisher;
  readonly readModels: Pick<ReadModelReader, 'find'>;
  readonly rate: InvitationRate;
  /** Milliseconds since the epoch. */
  readonly clock: Clock;
  /** Told at each look for how long the oldest that may be sent has been due; 0 where none is. */
  readonly onOldest?: (ms: number) => void;
}

/** What one company has due, as far as a look reads. */
interface CompanyDue {
  readonly companyId: number;
  readonly numbers: number[];
}

/** How many may be published now: what the rate allows until the next look, and never more than two looks' worth unseen to. */
const allowance = (perSecond: number, outstanding: number): number => {
  const perLook = Math.max(1, Math.ceil((perSecond * LOOK_EVERY_MS) / 1_000));
  return Math.max(0, Math.min(perLook, 2 * perLook - outstanding));
};

/**
 * Publishes what is due, the companies in turn, no faster than it may be sent: so 100,000 that one company has due at once
 * leave room for the one of another. Every worker does so by what it saw itself; a message too many does no harm.
 */
export class DueInvitations {
  readonly #deps: DueInvitationsDeps;
  /** By company what was published and still stood in the index at the last look, and when. */
  #outstanding = new Map<number, Map<number, number>>();
  /** Behind which company the next look begins. */
  #last = 0;

  constructor(deps: DueInvitationsDeps) {
    this.#deps = deps;
  }

  /** Looks once; how many were published. Throws where a server is away; what was not published is at the next look. */
  async look(): Promise<number> {
    const companies = inTurn(await this.#companies(), this.#last);
    const due: CompanyDue[] = [];
    const oldest = { ms: 0 };
    const before = this.#outstanding;
    this.#outstanding = new Map();
    for (const companyId of companies)
      due.push(await this.#dueOf(companyId, before.get(companyId) ?? new Map<number, number>(), oldest));
    this.#deps.onOldest?.(oldest.ms);
    const outstanding = [...this.#outstanding.values()].reduce((sum, each) => sum + each.size, 0);
    const chosen = oneOfEach(due, allowance(this.#deps.rate.total, outstanding));
    for (let at = 0; at < chosen.length; at += BATCH)
      await Promise.all(chosen.slice(at, at + BATCH).map((each) => this.#publish(each)));
    this.#last = chosen.at(-1)?.companyId ?? this.#last;
    return chosen.length;
  }

  /** Those that are not held, in the order of their ids. */
  async #companies(): Promise<number[]> {
    const held = new Set(await this.#idsIn(invitationCollections.holds));
    return (await this.#idsIn('companies')).filter((companyId) => !held.has(companyId));
  }

  async #idsIn(collection: string): Promise<number[]> {
    const found: number[] = [];
    for await (const { key } of this.#deps.readModels.find(collection, { prefix: [] }))
      found.push(Number(key[0]));
    return found;
  }

  async #dueOf(
    companyId: number,
    published: ReadonlyMap<number, number>,
    oldest: { ms: number },
  ): Promise<CompanyDue> {
    const { readModels, clock, rate } = this.#deps;
    const now = clock.now();
    const still = new Map<number, number>();
    const numbers: number[] = [];
    const limit = allowance(rate.perCompany, 0) + published.size;
    for await (const { key } of readModels.find(invitationCollections.due, { prefix: [companyId], limit })) {
      const [, dueMs, number] = key.map(Number);
      if (dueMs === undefined || number === undefined || dueMs > now) break;
      oldest.ms = Math.max(oldest.ms, now - dueMs);
      const at = published.get(number);
      if (at !== undefined && now - at < AGAIN_AFTER_MS) still.set(number, at);
      else numbers.push(number);
    }
    if (still.size > 0) this.#outstanding.set(companyId, still);
    return { companyId, numbers: numbers.slice(0, allowance(rate.perCompany, still.size)) };
  }

  async #publish({ companyId, number }: { companyId: number; number: number }): Promise<void> {
    const { queue, clock } = this.#deps;
    await queue.publish('invitations', invitationIsDue(companyId, number));
    const known = this.#outstanding.get(companyId) ?? new Map<number, number>();
    this.#outstanding.set(companyId, known.set(number, clock.now()));
  }
}

/** The companies behind the last one first. */
const inTurn = (companies: readonly number[], last: number): readonly number[] => [
  ...companies.filter((companyId) => companyId > last),
  ...companies.filter((companyId) => companyId <= last),
];

/** One of each company, then another one of each, until there are so many. */
function oneOfEach(
  due: readonly CompanyDue[],
  most: number,
): readonly { readonly companyId: number; readonly number: number }[] {
  const chosen: { companyId: number; number: number }[] = [];
  const longest = Math.max(0, ...due.map(({ numbers }) => numbers.length));
  for (let round = 0; round < longest; round++)
    for (const { companyId, numbers } of due) {
      const number = numbers[round];
      if (chosen.length >= most) return chosen;
      if (number !== undefined) chosen.push({ companyId, number });
    }
  return chosen;
}

export interface DueLoopOptions extends DueInvitationsDeps {
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Looks every second until the signal aborts; what fails is tried again at the next turn. */
export async function runDueInvitations(options: DueLoopOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const due = new DueInvitations(options);
  for (;;) {
    await sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      await due.look();
    } catch (error) {
      logger.warn(
        { problem: problemOf(error), frames: framesOf(error) },
        'due invitations were not looked for',
      );
    }
  }
}
