import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import type { Clock } from '@rollcall/application';

import rateLimit from '@fastify/rate-limit';

/** Per API user and minute; calls without a token are not counted. Register it before the routes. */
export async function limitCalls(app: ApiApp, perMinute: number): Promise<void> {
  if (perMinute === 0) return;
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    hook: 'onRequest',
    keyGenerator: (request) => String(request.call?.caller?.userId),
    allowList: (request) => request.call?.caller === undefined,
    errorResponseBuilder: () => new HttpError('too-many-requests'),
  });
}

/** Refusals per API user and minute that leave a row (docs/contract, "Many refusals"). */
const maxRefusalsPerMinute = 60;
const minuteMs = 60_000;

interface Minute {
  readonly endsAt: number;
  refused: number;
}

/** Counts refused imports per API user, in minutes that begin with the first. */
export class RefusalLimit {
  readonly #clock: Clock;
  readonly #minutes = new Map<number, Minute>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(userId: number): void {
    this.#minuteOf(userId, this.#clock.now()).refused += 1;
  }

  check(userId: number): void {
    const now = this.#clock.now();
    const { endsAt, refused } = this.#minuteOf(userId, now);
    if (refused < maxRefusalsPerMinute) return;
    throw new HttpError('too-many-requests', {
      message: `${maxRefusalsPerMinute} imports of this API user were refused within a minute. Mend what their answers name, and try again after the seconds in Retry-After.`,
      headers: { 'retry-after': String(Math.ceil((endsAt - now) / 1_000)) },
      reason: 'too many refused imports',
    });
  }

  /** A clock that was set back does not extend the minute. */
  #minuteOf(userId: number, now: number): Minute {
    const known = this.#minutes.get(userId);
    if (known && now < known.endsAt && now >= known.endsAt - minuteMs) return known;
    const begun = { endsAt: now + minuteMs, refused: 0 };
    this.#minutes.set(userId, begun);
    return begun;
  }
}
