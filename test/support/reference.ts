import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface Media {
  readonly schema: object;
  readonly example?: unknown;
}
export interface DescribedAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Media>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}
export interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly example?: unknown }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> };
  readonly security?: readonly unknown[];
  readonly summary?: string;
  readonly description?: string;
}
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface GivenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What clients are made from; `test/flows/openapi.test.ts` sees that the service answers with just this. */
export const documentFile = new URL('../../../clients/openapi.json', import.meta.url);

/** Answers that the framework's edge may give to any call, with a message that says what to do. */
const everywhere = [404, 405, 408, 413, 417, 431];
/** Headers that mean something to a caller: where they stand in an answer, the document names them. */
const meaningful = ['etag', 'link', 'location', 'retry-after', 'idempotent-replayed', 'preference-applied'];

const pointer = (...names: readonly string[]): string =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** A document of the interface, and what in an answer is otherwise than it says. */
export class Reference {
  readonly #document: OpenApiDocument;
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, logger: false }));
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[];

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(document, 'openapi');
    // What is written out goes before what stands for anything: /Survey/Update before /Survey/{id}.
    this.#paths = Object.keys(document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i') }));
  }

  /** Why a value is not what the schema at this place of the document says. */
  problemAt(place: readonly string[], value: unknown): string | undefined {
    const check = this.#checkAt(place);
    return check(value) ? undefined : this.#ajv.errorsText(check.errors);
  }

  /** What the document does not say of this answer; undefined too where it does not know the call at all. */
  problemOf(method: string, url: string, answer: GivenAnswer): string | undefined {
    const at = this.#operationOf(method.toLowerCase(), url);
    if (!at) return undefined;
    const status = String(answer.status);
    const described = at.operation.responses[status];
    if (!described) return this.#everywhereProblem(answer);
    const header = headerProblem(described, answer.headers);
    if (header !== undefined || !described.content) return header ?? emptyProblem(answer);
    return this.#bodyProblem([...at.place, 'responses', status, ...json], answer);
  }

  #everywhereProblem(answer: GivenAnswer): string | undefined {
    return everywhere.includes(answer.status)
      ? this.#bodyProblem(message, answer)
      : 'the status is not described';
  }

  #operationOf(method: string, url: string) {
    const plain = url.split(/[?#]/)[0] ?? '';
    const path = this.#paths.find(({ pattern }) => pattern.test(plain))?.path ?? '';
    const operation = this.#document.paths[path]?.[method];
    return operation && { operation, place: ['paths', path, method] };
  }

  #bodyProblem(place: readonly string[], { headers, text }: GivenAnswer): string | undefined {
    if (headers.get('content-type')?.startsWith('application/problem+json') === true)
      return this.problemAt(['components', 'schemas', 'ProblemDetails'], JSON.parse(text));
    if (headers.get('content-type')?.startsWith('application/json') !== true) return 'the body is no JSON';
    return this.problemAt(place, JSON.parse(text));
  }

  #checkAt(place: readonly string[]): ValidateFunction {
    const ref = `openapi#${pointer(...place)}`;
    return this.#ajv.getSchema(ref) ?? this.#ajv.compile({ $ref: ref });
  }
}

const json = ['content', 'application/json', 'schema'];
const message = ['components', 'schemas', 'Message'];

const emptyProblem = ({ text }: GivenAnswer): string | undefined =>
  text === '' ? undefined : 'there is a body, and none is described';

function headerProblem(described: DescribedAnswer, headers: Headers): string | undefined {
  const names = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()));
  if (headers.get('x-request-id') === null) return 'there is no X-Request-Id';
  const unknown = meaningful.find((name) => headers.has(name) && !names.has(name));
  return unknown === undefined ? undefined : `the header ${unknown} is not described`;
}

let known: Reference | undefined;

/** Throws where an answer is otherwise than the document says that the repository holds. */
export function mustBeDescribed(method: string, url: string, answer: GivenAnswer): void {
  known ??= new Reference(JSON.parse(readFileSync(documentFile, 'utf8')) as OpenApiDocument);
  const problem = known.problemOf(method, url, answer);
  if (problem !== undefined)
    throw new Error(
      `${method} ${url}: ${answer.status}, otherwise than clients/openapi.json says: ${problem}`,
    );
}
