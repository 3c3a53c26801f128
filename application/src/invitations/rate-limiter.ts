import type { Clock } from '../ports/clock.js';

/** Invitations per second and process: in all, and per company. 0 sends none. */
export interface InvitationRate {
  readonly total: number;
  readonly perCompany: number;
}

const maxBurstMs = 1_000;

class Pace {
  readonly #shareMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#shareMs = 1_000 / perSecond;
  }

  wait(now: number): number {
    return Math.max(0, this.#from(now) + this.#shareMs - now);
  }

  take(now: number): void {
    this.#next = this.#from(now) + this.#shareMs;
  }

  isIdle(now: number): boolean {
    return this.#next < now - maxBurstMs;
  }

  #from(now: number): number {
    return Math.max(this.#next, now - Math.max(maxBurstMs, this.#shareMs));
  }
}

/** Companies kept before idle ones are dropped. */
const maxKeptCompanies = 1_000;

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

  /** 0: an invitation of this company may go now, and is counted. Otherwise the milliseconds to wait. */
  take(companyId: number): number {
    const now = this.#clock.now();
    const company = this.#companies.get(companyId) ?? new Pace(this.#rate.perCompany);
    const wait = Math.max(this.#total.wait(now), company.wait(now));
    if (wait > 0) return Math.ceil(wait);
    this.#total.take(now);
    company.take(now);
    this.#companies.set(companyId, company);
    if (this.#companies.size > maxKeptCompanies) this.#forget(now);
    return 0;
  }

  #forget(now: number): void {
    for (const [companyId, pace] of this.#companies) if (pace.isIdle(now)) this.#companies.delete(companyId);
  }
}
