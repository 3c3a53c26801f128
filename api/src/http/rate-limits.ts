import { BoundedCache, type Clock } from '@rollcall/application';
import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';

import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';

const minuteMs = 60_000;
const maxUsers = 5_000;

/** Counts per API user, in minutes that begin with the first. */
class MinuteCounter {
  readonly #clock: Clock;
  readonly #minutes = new BoundedCache<number, { readonly endsAt: number; current: number }>({
    most: maxUsers,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A clock that was set back does not extend the minute. */
  count(userId: number, more = 1): { readonly current: number; readonly ttl: number } {
    const now = this.#clock.now();
    const known = this.#minutes.get(userId);
    const isCurrent = known && now < known.endsAt && now >= known.endsAt - minuteMs;
    const minute = isCurrent ? known : { endsAt: now + minuteMs, current: 0 };
    if (!isCurrent) this.#minutes.set(userId, minute);
    minute.current += more;
    return { current: minute.current, ttl: minute.endsAt - now };
  }
}

/** Per API user and minute; calls without a token are not counted. Register it before the routes. */
export async function limitCalls(app: ApiApp, clock: Clock, perMinute: number): Promise<void> {
  if (perMinute === 0) return;
  const calls = new MinuteCounter(clock);
  class Store implements FastifyRateLimitStore {
    readonly incr: FastifyRateLimitStore['incr'] = (userId, done) => done(null, calls.count(Number(userId)));
    readonly child = (): this => this;
  }
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: minuteMs,
    hook: 'onRequest',
    keyGenerator: (request) => String(request.call?.caller?.userId),
    allowList: (request) => request.call?.caller === undefined,
    errorResponseBuilder: () => new HttpError('too-many-requests'),
    store: Store,
  });
}

/** Refusals per API user and minute that leave a row (docs/contract, "Many refusals"). */
const maxRefusalsPerMinute = 60;

export class RefusalLimit extends MinuteCounter {
  check(userId: number): void {
    const { current, ttl } = this.count(userId, 0);
    if (current < maxRefusalsPerMinute) return;
    throw new HttpError('too-many-requests', {
      message: `${maxRefusalsPerMinute} imports of this API user were refused within a minute. Mend what their answers name, and try again after the seconds in Retry-After.`,
      headers: { 'retry-after': String(Math.ceil(ttl / 1_000)) },
      reason: 'too many refused imports',
    });
  }
}
