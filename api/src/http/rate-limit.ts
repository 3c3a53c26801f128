import rateLimit from '@fastify/rate-limit';
import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';

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
