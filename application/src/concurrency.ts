import type { Clock } from './ports/clock.js';
import { isOutage } from './ports/problems.js';
import { growingDelay } from './timers.js';

interface SharingOptions {
  /** A run younger than this answers new callers too. */
  readonly freshMs: number;
  readonly timer?: (() => number) | undefined;
}

/** Concurrent callers share one run. It begins after their calls unless `freshMs` allows an older one. */
export class SingleFlight<T> {
  readonly #run: () => Promise<T>;
  readonly #freshMs: number;
  readonly #timer: () => number;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;
  #last: { readonly answer: Promise<T>; readonly begunAt: number } | undefined;

  constructor(run: () => Promise<T>, { freshMs, timer }: SharingOptions = { freshMs: 0 }) {
    this.#run = run;
    this.#freshMs = freshMs;
    this.#timer = timer ?? (() => performance.now());
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#next === undefined;
  }

  once(): Promise<T> {
    if (this.#freshMs > 0) return this.#shared() ?? this.#begin();
    if (this.#running === undefined) return this.#begin();
    const begin = (): Promise<T> => this.#begin();
    return (this.#next ??= this.#running.then(begin, begin));
  }

  #shared(): Promise<T> | undefined {
    if (this.#running !== undefined || this.#last === undefined) return this.#running;
    return this.#timer() - this.#last.begunAt < this.#freshMs ? this.#last.answer : undefined;
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    const begunAt = this.#timer();
    const running = this.#run();
    this.#running = running;
    if (this.#freshMs > 0) this.#last = { answer: running, begunAt };
    const over = (): void => {
      if (this.#running === running) this.#running = undefined;
    };
    running.then(over, over);
    return running;
  }
}

/** A call while the function runs gets that run, and shares its end. `SingleFlight` runs it anew for calls that come later. */
export function sharing<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= run().finally(() => (running = undefined)));
}

/** Runs one after the other, in the order of the calls; one that fails holds up no other. An outage ends those that wait for it, too. */
export function inTurn(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const own = last.then(run);
    const ended = own.catch((error: unknown) => {
      if (isOutage(error) && last !== ended) throw error;
    });
    last = ended;
    return own;
  };
}

export class Limiter {
  readonly #count: number;
  #taken = 0;
  /** In the order of the calls: a freed slot wakes only the first. */
  readonly #entering = new Set<() => void>();
  readonly #watching = new Set<() => void>();

  constructor(count: number) {
    this.#count = count;
  }

  get hasFree(): boolean {
    return this.#taken < this.#count;
  }

  /** As `take`; undefined where no slot is free. */
  tryTake(): (() => void) | undefined {
    return this.hasFree ? this.take() : undefined;
  }

  /** Takes a slot even if none is free. The result frees it; a second call of it does nothing. */
  take(): () => void {
    this.#taken += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#leave();
    };
  }

  /** As `take`, as soon as a slot is free, in the order of the calls. */
  async enter(): Promise<() => void> {
    return this.tryTake() ?? new Promise((resolve) => this.#entering.add(() => resolve(this.take())));
  }

  /** Resolves when a slot is free, or when the signal aborts. */
  async free(signal: AbortSignal): Promise<void> {
    while (!this.hasFree && !signal.aborted) await this.#change(signal);
  }

  #leave(): void {
    this.#taken -= 1;
    const [next] = this.#entering;
    if (next !== undefined && this.hasFree) {
      this.#entering.delete(next);
      next();
      return;
    }
    for (const goOn of [...this.#watching]) goOn();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#watching.delete(goOn);
        signal.removeEventListener('abort', goOn);
        resolve();
      };
      this.#watching.add(goOn);
      signal.addEventListener('abort', goOn, { once: true });
    });
  }
}

/** Undefined: done already. */
export type Later = Promise<void> | undefined;

/** Runs at most `many` tasks at once, first in, first out. */
export function atMost(many: number): (work: () => Later) => Later {
  const limiter = new Limiter(many);
  const run = (work: () => Later, leave: () => void): Later => {
    let later: Later;
    try {
      return (later = work()?.finally(leave));
    } finally {
      if (later === undefined) leave();
    }
  };
  return (work) => {
    const leave = limiter.tryTake();
    return leave ? run(work, leave) : limiter.enter().then((free) => run(work, free));
  };
}

/** Invitations per second and process: in all, and per company. 0 sends none. */
export interface InvitationRate {
  readonly total: number;
  readonly perCompany: number;
}

const maxBurstMs = 1_000;
/** What was held back for longer may have gone elsewhere, or come to nothing. */
const maxHeldBackMs = 5_000;

class Pace {
  readonly #shareMs: number;
  #next = 0;
  #promised = 0;

  constructor(perSecond: number) {
    this.#shareMs = 1_000 / perSecond;
  }

  take(now: number): void {
    this.#next = this.#from(now) + this.#shareMs;
  }

  /** 0: one may go. Else the time until one more may, each at a moment of its own, if it is near, and near the `first` of its message. */
  holdBack(now: number, first = Infinity): number {
    if (this.#from(now) + this.#shareMs <= now) return 0;
    const next = Math.min(Math.max(this.#promised, this.#from(now)) + this.#shareMs, now + maxHeldBackMs);
    if (next + this.#shareMs - now > first + maxBurstMs) return first;
    return (this.#promised = next) - now;
  }

  isIdle(now: number): boolean {
    return this.#next < now - maxBurstMs;
  }

  #from(now: number): number {
    return Math.max(this.#next, now - Math.max(maxBurstMs, this.#shareMs));
  }
}

const maxKeptCompanies = 1_000;
const maxTryMs = 60_000;

export class RateLimiter {
  readonly rate: InvitationRate;
  readonly #clock: Clock;
  readonly #total: Pace;
  readonly #companies = new Map<number, Pace>();
  /** Since the mail server was last reached. */
  #tries = 0;
  #nextTry = 0;

  constructor(rate: InvitationRate, clock: Clock) {
    this.rate = rate;
    this.#clock = clock;
    this.#total = new Pace(rate.total);
  }

  /** 0: one of this company may go now, and is counted. Else the milliseconds after which to ask again. `waits`: of its message. */
  take(companyId: number, waits: number[] = []): number {
    const now = this.#clock.now();
    if (this.#tries > 0 && now < this.#nextTry) return Math.ceil(this.#nextTry - now);
    const company = this.#companies.get(companyId) ?? new Pace(this.rate.perCompany);
    const first = waits.find((ms) => ms > 0);
    const wait = Math.max(this.#total.holdBack(now, first), company.holdBack(now, first));
    waits.push(wait);
    if (wait > 0) return Math.ceil(wait);
    this.#total.take(now);
    company.take(now);
    this.#companies.set(companyId, company);
    if (this.#tries > 0) this.#tryLater(now);
    if (this.#companies.size > maxKeptCompanies) this.#forget(now);
    return 0;
  }

  /** While the mail server is not, one mail tries it after growing delays, and no other goes. */
  reached(isReached: boolean): void {
    if (isReached) this.#tries = 0;
    else if (this.#tries === 0) this.#tryLater(this.#clock.now());
  }

  /** Whether what was published waits for the mail server. Not where no try came for a minute: the queue may have lost everything. */
  get isAway(): boolean {
    return this.#tries > 0 && this.#clock.now() < this.#nextTry + maxTryMs;
  }

  #tryLater(now: number): void {
    this.#tries += 1;
    this.#nextTry = now + growingDelay(this.#tries, 1_000, maxTryMs);
  }

  #forget(now: number): void {
    for (const [companyId, pace] of this.#companies) if (pace.isIdle(now)) this.#companies.delete(companyId);
  }
}
