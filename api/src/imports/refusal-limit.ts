import type { Clock } from '@rollcall/application';
import { HttpError } from '../http/errors.js';

/** So many refused imports of one API user leave a row in a minute (docs/contract, "Many refusals"). */
const mostRefusals = 60;
const minuteMs = 60_000;

interface Minute {
  readonly endsAt: number;
  refused: number;
}

/** Counts the refused imports of each API user, in minutes that begin with the first of them. */
export class RefusalLimit {
  readonly #clock: Clock;
  readonly #minutes = new Map<number, Minute>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one. */
  count(userId: number): void {
    this.#minuteOf(userId, this.#clock.now()).refused += 1;
  }

  /** A 429 where the user has had as many in this minute as may be. */
  check(userId: number): void {
    const now = this.#clock.now();
    const { endsAt, refused } = this.#minuteOf(userId, now);
    if (refused < mostRefusals) return;
    throw new HttpError('too-many-requests', {
      message: `${mostRefusals} imports of this API user were refused within a minute. Mend what their answers name, and try again after the seconds in Retry-After.`,
      headers: { 'retry-after': String(Math.ceil((endsAt - now) / 1_000)) },
      reason: 'too many refused imports',
    });
  }

  /** A clock that was set back does not make a minute longer. */
  #minuteOf(userId: number, now: number): Minute {
    const known = this.#minutes.get(userId);
    if (known && now < known.endsAt && now >= known.endsAt - minuteMs) return known;
    const begun = { endsAt: now + minuteMs, refused: 0 };
    this.#minutes.set(userId, begun);
    return begun;
  }
}
