import type { ApiApp } from './fastify-types.js';

/** One line for each answer: the route's pattern, never the address, whose query can name a person. */
export function logRequests(app: ApiApp): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, call, routeOptions } = request;
    request.log.info(
      {
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
