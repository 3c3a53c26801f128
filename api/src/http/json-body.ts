import { createHash } from 'node:crypto';
import { describeJsonProblem, parseStrictJson } from '@rollcall/employee-lists/text';
import type { ApiConfig } from '../deps.js';
import { BodyBuffer, type BodyBudget } from './body-memory.js';
import { callOf } from './call.js';
import { invalidRequest } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { receiveBody } from './receive-body.js';

const withBody = new Set(['POST', 'PUT', 'PATCH']);

/** Parses bodies strictly, behind the guards. Fastify's own parsers accept invalid UTF-8, NUL and repeated names. */
export function receiveJsonBodies(app: ApiApp, config: ApiConfig, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  // `application/json` comes first: the check of any other type runs for each call.
  app.addContentTypeParser(['application/json', '*'], (_request, _payload, done) => done(null, undefined));
  app.addHook('preValidation', async (request) => {
    if (!withBody.has(request.method) || request.routeOptions.config.body === 'stream') return;
    const { caller } = callOf(request);
    // The body of an unidentified caller is not read.
    if (!caller) return;
    const held = budget.open(caller.userId);
    try {
      const buffer = new BodyBuffer();
      const sink = {
        take: (chunk: Uint8Array): undefined => {
          buffer.add(chunk);
        },
      };
      await receiveBody(request, { limit: config.bodyLimit, timeouts: config.timeouts, held }, sink);
      const bytes = buffer.takeWhole();
      callOf(request).bodySha256 = sha256Of(bytes);
      request.body = parseBody(bytes);
    } finally {
      held.release();
    }
  });
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalidRequest(['The body is empty']);
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) throw invalidRequest([describeJsonProblem(parsed.problem)]);
  return parsed.value;
}
