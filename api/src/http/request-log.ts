import type { IncomingMessage } from 'node:http';
import type { Metrics, Tracing } from '@rollcall/host';
import type { Call } from './call.js';
import type { ApiApp } from './fastify-types.js';

const acceptable = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** The caller's `X-Request-Id` if it is 1 to 128 printable ASCII characters, else a new one. */
export function requestId(request: IncomingMessage, newId: () => string): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : newId();
}

/** Probes and scrapes would dominate an idle process's log. */
const levelOf = (route: string, call: Call | undefined): 'debug' | 'info' =>
  !call?.refusal && (route === '/metrics' || route.startsWith('/health/')) ? 'debug' : 'info';

/** Logs the route's pattern, never the address, which can name a person. So no costly redaction is needed. */
export function logRequests(app: ApiApp): void {
  const log = app.log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, call, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    log[levelOf(route, call)](
      {
        requestId: request.id,
        method,
        route,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        userId: call?.caller?.userId,
        companyId: call?.caller?.companyId,
        operationId: call?.answeredOperationId,
        ...call?.refusal,
      },
      'answered',
    );
    done();
  });
  app.addHook('onRequestAbort', ({ log: own, call, routeOptions: { url: route } }, done) => {
    const operationId = call?.answeredOperationId;
    own.info({ route, operationId, ...call?.refusal }, 'the caller went away');
    done();
  });
}

export function measureRequests(app: ApiApp, { families }: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const labels = { method, route: routeOptions.url ?? 'unknown', status: reply.statusCode };
    families.httpRequests.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}

const isRepeat = (call: Call): boolean =>
  call.repeatedOperationId !== undefined && call.repeatedOperationId !== call.operationId;

/** One span per answered call, named by the route's pattern. A replay belongs to the first call's trace. */
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

/** No type sniffing; as a page it may do nothing. */
export const bareHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

const policyOf = (images: string, forms: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ');

export const pagePolicy = policyOf("'self' data:", "'none'");

/** Of a page with forms: nothing from elsewhere, nothing inline, no frame around it, and no address for other sites. */
export const formPageHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': policyOf("'self'", "'self'"),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** By the route's pattern; answers with personal data are never cached. */
export const safetyHeaders = (route: string | undefined): Readonly<Record<string, string>> =>
  route?.startsWith('/v1.0/') === true ? { ...bareHeaders, 'cache-control': 'no-store' } : bareHeaders;
