import type { Clock } from '../ports/clock.js';

/** Invitations a second of one process: of all companies together, and of one. 0 sends none. */
export interface InvitationRate {
  readonly total: number;
  readonly perCompany: number;
}

/** What was not used in the last second may be caught up at once. */
const BURST_MS = 1_000;

/** When the next one may go, as if each took its share of a second. */
class Pace {
  readonly #shareMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#shareMs = 1_000 / perSecond;
  }

  /** Milliseconds until one may go; 0 where it may now. */
  wait(now: number): number {
    return Math.max(0, this.#from(now) + this.#shareMs - now);
  }

  take(now: number): void {
    this.#next = this.#from(now) + this.#shareMs;
  }

  isIdle(now: number): boolean {
    return this.#next < now - BURST_MS;
  }

  #from(now: number): number {
    return Math.max(this.#next, now - Math.max(BURST_MS, this.#shareMs));
  }
}

/** How many companies are remembered before those that send nothing are forgotten. */
const MANY = 1_000;

/** Keeps what one process sends below the allowed rate, in all and of each company. */
export class RateLimiter {
  readonly #rate: InvitationRate;
  readonly #clock: Clock;
  readonly #total: Pace;
  readonly #companies = new Map<number, Pace>();

  constructor(rate: InvitationRate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#total = new Pace(rate.total);
  }

  /** 0 where an invitation of this company may go now, which counts it; otherwise the milliseconds until it is worth asking. */
  take(companyId: number): number {
    const now = this.#clock.now();
    const company = this.#companies.get(companyId) ?? new Pace(this.#rate.perCompany);
    const wait = Math.max(this.#total.wait(now), company.wait(now));
    if (wait > 0) return Math.ceil(wait);
    this.#total.take(now);
    company.take(now);
    this.#companies.set(companyId, company);
    if (this.#companies.size > MANY) this.#forget(now);
    return 0;
  }

  #forget(now: number): void {
    for (const [companyId, pace] of this.#companies) if (pace.isIdle(now)) this.#companies.delete(companyId);
  }
}
