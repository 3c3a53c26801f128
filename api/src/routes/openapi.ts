import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { ApiApp } from '../http/fastify-types.js';
import { pagePolicy } from '../http/safety-headers.js';

/** Collects the schemas of the routes that follow; the page works without the network. */
export async function describeApi(app: ApiApp): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rollcall',
        version: '1.0',
        description:
          'Surveys, and the employees and managers of companies. Paths and query names are case-insensitive.',
      },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ token: [] }],
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { validatorUrl: null },
    staticCSP: pagePolicy,
    logLevel: 'warn',
  });
}

export function openApiRoutes(app: ApiApp): void {
  app.route({
    method: 'GET',
    url: '/openapi.json',
    config: { rateLimit: false },
    schema: { hide: true },
    handler: (_request, reply) => reply.send(app.swagger()),
  });
}
