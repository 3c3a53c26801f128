import type { Routes } from '../http/route-dependencies.js';

/** For Prometheus, without a token. It is no part of the interface that callers are told of. */
export const metricsRoutes: Routes = (app, { config, metrics }) => {
  if (!config.servesMetrics) return;
  app.route({
    method: 'GET',
    url: '/metrics',
    config: { rateLimit: false },
    schema: { hide: true },
    handler: async (_request, reply) => {
      const text = await metrics.scrape();
      return reply.header('content-type', metrics.contentType).serializer(String).send(text);
    },
  });
};
