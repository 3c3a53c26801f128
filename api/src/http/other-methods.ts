import { METHODS } from 'node:http';
import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';

/** CONNECT never reaches a router; QUERY and the like are no business of this service but known to Node. */
const answerable = METHODS.filter((method) => method !== 'CONNECT');

/** Notes the routes from now on. The answer, called once behind all routes, gives each path a 405 for all other methods. */
export function answerOtherMethods(app: ApiApp): () => void {
  const paths = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each.toUpperCase());
    paths.set(url, methods);
  });
  return () => {
    for (const method of answerable) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    for (const [url, taken] of [...paths]) {
      const allow = [...taken].sort().join(', ');
      app.route({
        url,
        method: answerable.filter((method) => !taken.has(method)),
        schema: { hide: true },
        config: { rateLimit: false },
        // Before the query, the type and the body are looked at.
        onRequest: (_request, _reply, next) =>
          next(new HttpError('method-not-allowed', { headers: { allow } })),
        handler: (_request, reply) => reply.callNotFound(),
      });
    }
  };
}
