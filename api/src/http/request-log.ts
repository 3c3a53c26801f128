import type { IncomingMessage } from 'node:http';
import type { Metrics, Tracing } from '@rollcall/adapters';
import type { Call } from './call.js';
import type { ApiApp } from './fastify-types.js';

const acceptable = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** The caller's own `X-Request-Id` where it is 1 to 128 printable ASCII characters, otherwise a new one. */
export function requestId(request: IncomingMessage, newId: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : newId();
}

/**
 * One line for each answer: the route's pattern, never the address, whose query can name a person. Nothing in it can, so that
 * it needs no redaction, which would cost more than all else of a small call's log.
 */
export function logRequests(app: ApiApp): void {
  const log = app.log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, call, routeOptions } = request;
    log.info(
      {
        requestId: request.id,
        method,
        route: routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        userId: call?.caller?.userId,
        companyId: call?.caller?.companyId,
        operationId: call?.answeredOperationId,
      },
      'answered',
    );
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info(
      { route: request.routeOptions.url, operationId: request.call?.answeredOperationId },
      'the caller went away',
    );
    done();
  });
}

/** Times each answer by its route's pattern; an address that is none has the route `unknown`. */
export function measureRequests(app: ApiApp, { families }: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const labels = { method, route: routeOptions.url ?? 'unknown', status: reply.statusCode };
    families.httpRequests.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}

/** Whether the answer is that of an earlier call. */
const isRepeat = (call: Call): boolean =>
  call.repeatedOperationId !== undefined && call.repeatedOperationId !== call.operationId;

/**
 * The span of each answered call, by its route's pattern. It is the root of its operation's trace, but for the answer of an earlier call
 * given again, which stands under that one.
 */
export function traceRequests(app: ApiApp, tracing: Tracing | undefined): void {
  if (tracing?.isOn !== true) return;
  app.addHook('onResponse', (request, reply, done) => {
    const { method, call, headers } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const end = Date.now();
    const parent = headers['traceparent'];
    tracing.record({
      name: `${method} ${route}`,
      kind: 'server',
      start: Math.floor(end - reply.elapsedTime),
      end,
      operationId: call?.answeredOperationId,
      isCall: call === undefined || !isRepeat(call),
      callersTrace: typeof parent === 'string' ? parent : undefined,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'rollcall.company': call?.caller?.companyId,
        'rollcall.request_id': request.id,
      },
      failed: reply.statusCode >= 500,
    });
    done();
  });
}
