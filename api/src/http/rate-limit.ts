import rateLimit from '@fastify/rate-limit';
import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';

/** The limit of each API user in a minute; who has no token yet is no user. Register it before the routes. */
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
