import { describeJsonProblem, parseStrictJson } from '@rollcall/domain';
import type { FastifyRequest } from 'fastify';
import type { ApiConfig } from '../deps.js';
import { callOf } from './call.js';
import { invalidRequest } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { receiveBody, type ReceivedBody } from './receive-body.js';

const withBody = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Every body is received and parsed here, behind the guards, and strictly; `body: 'stream'` routes receive theirs
 * themselves. The framework's own parsers are gone: they accept invalid UTF-8, NUL and repeated names.
 */
export function receiveJsonBodies(app: ApiApp, config: ApiConfig): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  const options = { limit: config.bodyLimit, progressMs: config.timeouts.bodyProgress };
  app.addHook('preValidation', async (request) => {
    if (!withBody.has(request.method) || request.routeOptions.config.body === 'stream') return;
    const { bytes, sha256 } = await receiveBody(request, options);
    callOf(request).bodySha256 = sha256;
    request.body = parseBody(bytes);
  });
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw invalidRequest(['The body is empty']);
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) throw invalidRequest([describeJsonProblem(parsed.problem)]);
  return parsed.value;
}

/** Receives the body of a `body: 'stream'` route, unparsed; `limit` in unpacked bytes. */
export async function receiveLargeBody(
  request: FastifyRequest,
  config: ApiConfig,
  limit: number,
): Promise<ReceivedBody> {
  const received = await receiveBody(request, { limit, progressMs: config.timeouts.bodyProgress });
  callOf(request).bodySha256 = received.sha256;
  return received;
}
