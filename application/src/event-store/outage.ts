export type Waited = 'answers' | 'away';

/** The outage of one log. One waiting call at a time probes, so that a starting server is not stormed. */
export class Outage {
  #failures = 0;
  #knocking: object | undefined;
  readonly #waiting = new Set<(waited: Waited) => void>();

  get failures(): number {
    return this.#failures;
  }

  isKnocking(call: object): boolean {
    this.#knocking ??= call;
    return this.#knocking === call;
  }

  failed(call: object): void {
    if (this.#knocking !== call) return;
    this.#failures += 1;
    this.#settle('away');
  }

  next(): Promise<Waited> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  leave(call: object): void {
    if (this.#knocking !== call) return;
    this.#knocking = undefined;
    this.#settle('away');
  }

  answered(): void {
    this.#failures = 0;
    this.#knocking = undefined;
    if (this.#waiting.size > 0) this.#settle('answers');
  }

  #settle(waited: Waited): void {
    for (const resolve of this.#waiting) resolve(waited);
    this.#waiting.clear();
  }
}

const outages = new WeakMap<object, Outage>();

export function outageOf(log: object): Outage {
  const outage = outages.get(log) ?? new Outage();
  outages.set(log, outage);
  return outage;
}

/** For a decorated log: both share one outage. */
export function shareOutage<L extends object>(around: L, log: object): L {
  outages.set(around, outageOf(log));
  return around;
}
