import { Compile } from 'typebox/compile';
import t from 'tap';
import { startTestApp } from '../support/test-app.js';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}
interface Operation {
  readonly responses: Record<string, { content?: Record<string, Media>; headers?: Record<string, unknown> }>;
  readonly parameters?: readonly { in: string; name: string }[];
  readonly requestBody?: { content?: Record<string, Media> };
  readonly security?: unknown[];
  readonly summary?: string;
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
  );

function operationAt({ paths }: Document, method: string, path: string): Operation {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

const headersOf = ({ parameters = [] }: Operation): string[] =>
  parameters.filter((each) => each.in === 'header').map(({ name }) => name);

const answerHeaders = ({ responses }: Operation, status: string): string[] =>
  Object.keys(responses[status]?.headers ?? {});

const bodiesOf = ({ requestBody }: Operation): Media[] => Object.values(requestBody?.content ?? {});

const mediaOf = ({ responses, requestBody = {} }: Operation): Media[] =>
  [...Object.values(responses), requestBody].flatMap(({ content = {} }) => Object.values(content));

t.test('the reference', async (t) => {
  const app = await startTestApp(t);
  const document = (await app.call('GET', '/openapi.json', { token: null })).json as Document;

  t.test('is OpenAPI 3.1 and names every endpoint', async (t) => {
    t.equal(document.openapi, '3.1.0');
    t.same(
      operationsOf(document)
        .map(({ name }) => name)
        .sort(),
      [
        'get /health/live',
        'get /health/ready',
        'get /v1.0/Company/{companyId}/ApiCalls',
        'get /v1.0/Company/{companyId}/Employee',
        'get /v1.0/Company/{companyId}/Invitations',
        'get /v1.0/Company/{companyId}/Language/Enabled',
        'get /v1.0/Company/{companyId}/Managers',
        'get /v1.0/Survey',
        'get /v1.0/Survey/{id}',
        'post /v1.0/Survey',
        'post /v1.0/Survey/ChangeState/{state}',
        'post /v1.0/Survey/Update',
        'put /v1.0/Company/{companyId}/Employee',
        'put /v1.0/User/{companyId}/ManagerImport',
      ],
    );
    await Promise.resolve();
  });

  t.test('has an answer for every status, and examples that fit their schemas', async (t) => {
    for (const { name, path, operation } of operationsOf(document)) {
      t.ok(operation.summary, name);
      const needed = path.startsWith('/health') ? ['200'] : ['200', '400', '401', '429', '500', '503'];
      for (const status of needed) t.ok(operation.responses[status], `${name} ${status}`);
      for (const { example } of bodiesOf(operation)) t.ok(example, `${name} body`);
      for (const { schema, example } of mediaOf(operation))
        if (example !== undefined) t.ok(Compile(schema).Check(example), `${name} example`);
    }
    await Promise.resolve();
  });

  t.test('tells of keys, conditions and queueing where they are taken', async (t) => {
    for (const path of ['/v1.0/Company/{companyId}/Employee', '/v1.0/User/{companyId}/ManagerImport']) {
      const put = operationAt(document, 'put', path);
      t.same(headersOf(put), ['Idempotency-Key', 'If-Match', 'Prefer'], path);
      t.same(answerHeaders(put, '200'), ['Idempotent-Replayed'], path);
      const queued = ['Idempotent-Replayed', 'Location', 'Retry-After', 'Preference-Applied'];
      t.same(answerHeaders(put, '202'), queued, path);
      t.same(answerHeaders(put, '409'), ['Retry-After'], path);
      t.same(answerHeaders(put, '412'), ['ETag'], path);
      for (const status of ['413', '415', '422']) t.ok(put.responses[status], `${path} ${status}`);
    }
    for (const path of ['/v1.0/Survey', '/v1.0/Survey/Update']) {
      const post = operationAt(document, 'post', path);
      t.same(headersOf(post), ['Idempotency-Key'], path);
      t.same(answerHeaders(post, '200'), ['Idempotent-Replayed'], path);
      for (const status of ['409', '422']) t.ok(post.responses[status], `${path} ${status}`);
    }
    await Promise.resolve();
  });

  t.test('has a page that needs nothing from elsewhere', async (t) => {
    const page = await app.call('GET', '/docs', { token: null });
    t.equal(page.status, 200);
    t.match(page.headers.get('content-type'), /text\/html/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    t.ok(sources.length > 0);
    for (const source of sources) {
      t.notMatch(source, /^(?:https?:)?\/\//);
      const url = new URL(source, `${app.url}/docs/`);
      const answer = await fetch(url);
      t.ok((await answer.text()).length > 0, source);
      t.equal(answer.status, 200, source);
    }
  });
});
