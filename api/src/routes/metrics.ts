import type { Routes } from '../route-dependencies.js';

/** For Prometheus, without a token; not part of the public interface. */
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
