import type { Metrics } from '@rollcall/adapters';
import type { ApiApp } from './fastify-types.js';

/** Times each answer by its route's pattern; an address that is none has the route `unknown`. */
export function measureRequests(app: ApiApp, { families }: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const labels = { method, route: routeOptions.url ?? 'unknown', status: reply.statusCode };
    families.httpRequests.observe(labels, reply.elapsedTime / 1_000);
    done();
  });
}
