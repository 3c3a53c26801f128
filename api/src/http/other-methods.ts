import { METHODS } from 'node:http';
import { HttpError } from './errors.js';
import type { ApiApp } from './fastify-types.js';

/** CONNECT never reaches a router; QUERY and the like are known to Node but not supported here. */
const answerable = METHODS.filter((method) => method !== 'CONNECT');

/** Collects the routes. Call the result after the last route: every other method of their paths is a 405. */
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
        // Runs before query, type and body are checked.
        onRequest: (_request, _reply, next) =>
          next(new HttpError('method-not-allowed', { headers: { allow } })),
        handler: (_request, reply) => reply.callNotFound(),
      });
    }
  };
}
