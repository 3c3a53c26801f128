import swagger from '@fastify/swagger';
import { ProblemDetails } from '@rollcall/contracts';
import { isObject, type JsonObject } from '@rollcall/employee-lists/text';
import type { ApiApp } from '../http/fastify-types.js';
import { isDeepStrictEqual } from 'node:util';

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

/** docs/contract, "Everywhere". */
const documentHead = {
  openapi: '3.1.0',
  info: {
    title: 'Rollcall',
    version: '1.0',
    summary: 'Employees, managers and surveys of companies.',
    description: [
      'An HR system sends the whole list of employees in one call and the managers in another; Rollcall works out who is new, who has changed and who has left. It keeps the surveys of the company beside them.',
      'Every call carries `Authorization: Bearer <token>`. Bodies are JSON. Paths and names of query parameters are case-insensitive; an unknown query parameter is a 400. Unknown fields of a body are ignored, and null in an optional field is the same as leaving it out.',
      'Every answer carries `X-Request-Id`; one that the caller sends (at most 128 printable characters) comes back.',
      'With `Accept: application/problem+json` every error has the body `ProblemDetails` (RFC 9457) in place of the one that its endpoint describes.',
    ].join('\n\n'),
    contact: { name: 'Whoever runs this installation and issued your token' },
  },
  servers: [{ url: '/', description: 'The server that this document comes from.' }],
  tags: [
    {
      name: 'Employees',
      description: "The company's list of employees, replaced as a whole, and their invitations.",
    },
    {
      name: 'Managers',
      description:
        'Who leads which department, division or project, replaced as a whole, and the portal users that follow from it.',
    },
    { name: 'Surveys', description: 'Surveys with their questions.' },
    { name: 'Company', description: 'What became of imports, and what the company has configured.' },
    { name: 'Health', description: 'For those who run the service. No token is needed.' },
  ],
  security: [{ token: [] }],
};

const securitySchemes = {
  token: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: '`rollcall token issue --user N` prints one.',
  },
};

/** Values below these names are no schemas. */
const isData = (name: string): boolean => name === 'example' || name === 'examples';

const without = (name: string, node: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([each]) => each !== name));

/** Moves titled schemas to `components/schemas`. Throws where two schemas share a title: a bug. */
class NamedComponents {
  readonly #schemas = new Map<string, JsonObject>();

  replaceIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.replaceIn(each));
    if (!isObject(value)) return value;
    const node = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isData(name) ? member : this.replaceIn(member)]),
    );
    const { title } = value;
    return typeof title === 'string' ? this.#reference(title, without('title', node)) : node;
  }

  get schemas(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #reference(title: string, schema: JsonObject): JsonObject {
    const known = this.#schemas.get(title);
    const same = !known || isDeepStrictEqual(without('description', known), without('description', schema));
    if (!same) throw new Error(`two schemas are called ${title}`);
    // A parameter keeps its schema's description, which the schema here lacks.
    if (known?.['description'] === undefined) this.#schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }
}
