import swagger from '@fastify/swagger';
import { ProblemDetails } from '@rollcall/contracts';
import type { ApiApp } from '../http/fastify-types.js';
import { documentHead, securitySchemes } from './document-head.js';
import { NamedComponents } from './named-components.js';

export async function describeApi(app: ApiApp): Promise<void> {
  await app.register(swagger, {
    openapi: { openapi: documentHead.openapi },
    transformObject: (given) => ('openapiObject' in given ? complete(given.openapiObject.paths) : {}),
  });
}

function complete(paths: unknown): object {
  const components = new NamedComponents();
  const named = components.replaceIn(paths);
  components.replaceIn(ProblemDetails);
  return { ...documentHead, paths: named, components: { securitySchemes, schemas: components.schemas } };
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
