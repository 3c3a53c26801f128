import { describeJsonProblem, parseStrictJson } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';
import type { ApiConfig } from '../deps.js';
import type { BodyBudget, HeldBody } from './body-budget.js';
import { callOf } from './call.js';
import { invalidRequest } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { receiveBody, type ReceivedBody, type ReceiveOptions } from './receive-body.js';

const withBody = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Every body is received and parsed here, behind the guards, and strictly; `body: 'stream'` routes receive theirs
 * themselves. The framework's own parsers are gone: they accept invalid UTF-8, NUL and repeated names.
 */
export function receiveJsonBodies(app: ApiApp, config: ApiConfig, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.addHook('preValidation', async (request) => {
    if (!withBody.has(request.method) || request.routeOptions.config.body === 'stream') return;
    const { caller } = callOf(request);
    // A body of which nobody knows who sent it is not read.
    if (!caller) return;
    const held = budget.open(caller.userId);
    try {
      const { bytes, sha256 } = await receiveBody(request, receiveOptions(config, config.bodyLimit, held));
      callOf(request).bodySha256 = sha256;
      request.body = parseBody(bytes);
    } finally {
      held.release();
    }
  });
}

const receiveOptions = ({ timeouts }: ApiConfig, limit: number, held: HeldBody): ReceiveOptions => ({
  limit,
  held,
  progressMs: timeouts.bodyProgress,
  mostMs: timeouts.body,
});

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalidRequest(['The body is empty']);
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) throw invalidRequest([describeJsonProblem(parsed.problem)]);
  return parsed.value;
}

/** How the body of a `body: 'stream'` route is received. */
export interface LargeBodyOptions {
  readonly config: ApiConfig;
  /** In unpacked bytes. */
  readonly limit: number;
  /** To be released when nobody needs the body any more. */
  readonly held: HeldBody;
}

/** Receives the body of a `body: 'stream'` route, unparsed. */
export async function receiveLargeBody(
  request: FastifyRequest,
  { config, limit, held }: LargeBodyOptions,
): Promise<ReceivedBody> {
  const received = await receiveBody(request, receiveOptions(config, limit, held));
  callOf(request).bodySha256 = received.sha256;
  return received;
}
