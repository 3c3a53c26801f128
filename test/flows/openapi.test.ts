import { readFile, writeFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { codes, employeeFields, limits } from '@rollcall/contracts';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { documentFile, Reference, type OpenApiDocument, type Operation } from '../support/reference.js';
import { startTestApp } from '../support/test-app.js';

const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

function operationAt({ paths }: OpenApiDocument, method: string, path: string): Operation {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

/** Every body that a call takes or gives, with its place in the operation. */
const mediaOf = ({ responses, requestBody }: Operation) =>
  [
    ...Object.entries(responses).map(([status, { content }]) => ({ at: ['responses', status], content })),
    { at: ['requestBody'], content: requestBody?.content },
  ].flatMap(({ at, content = {} }) =>
    Object.entries(content).map(([type, media]) => ({ place: [...at, 'content', type], media })),
  );

const headersOf = ({ parameters = [] }: Operation): string[] =>
  parameters.filter((each) => each.in === 'header').map(({ name }) => name);

const answerHeaders = ({ responses }: Operation, status: string): string[] =>
  Object.keys(responses[status]?.headers ?? {});

const employees = '/v1.0/Company/{companyId}/Employee';
const managers = '/v1.0/User/{companyId}/ManagerImport';
const always = 'X-Request-Id';

t.test('the reference', async (t) => {
  const app = await startTestApp(t);
  const text = await (await fetch(`${app.url}/openapi.json`)).text();
  const json = JSON.parse(text) as Record<string, unknown>;
  const document = JSON.parse(text) as OpenApiDocument;
  const reference = new Reference(document);

  t.test('is the file that clients are made from', async (t) => {
    const formatted = `${JSON.stringify(document, null, 2)}\n`;
    if (process.env['UPDATE_REFERENCE'] === '1') await writeFile(documentFile, formatted);
    t.ok(formatted === (await readFile(documentFile, 'utf8')), 'else: npm run generate');
  });

  t.test('is what OpenAPI 3.1 asks for, by its own schema', async (t) => {
    t.equal(document.openapi, '3.1.0');
    t.same(await new Validator().validate(structuredClone(json)), { valid: true });
  });

  t.test('names every operation, and each by a name of its own', async (t) => {
    t.same(
      Object.fromEntries(
        operationsOf(document)
          .map(({ method, path, operation }) => [operation.operationId, `${method} ${path}`] as const)
          .sort(([, a], [, b]) => (a < b ? -1 : 1)),
      ),
      {
        getLiveness: 'get /health/live',
        getReadiness: 'get /health/ready',
        listApiCalls: 'get /v1.0/Company/{companyId}/ApiCalls',
        listEmployees: `get ${employees}`,
        listInvitations: 'get /v1.0/Company/{companyId}/Invitations',
        listLanguages: 'get /v1.0/Company/{companyId}/Language/Enabled',
        getLimits: 'get /v1.0/Company/{companyId}/Limits',
        getManagers: 'get /v1.0/Company/{companyId}/Managers',
        listSurveys: 'get /v1.0/Survey',
        getSurvey: 'get /v1.0/Survey/{id}',
        createSurvey: 'post /v1.0/Survey',
        changeSurveyState: 'post /v1.0/Survey/ChangeState/{state}',
        updateSurvey: 'post /v1.0/Survey/Update',
        replaceEmployees: `put ${employees}`,
        replaceManagers: `put ${managers}`,
      },
    );
  });

  t.test('has an answer for every status, and examples that fit their schemas', async (t) => {
    for (const { method, path, operation } of operationsOf(document)) {
      const name = operation.operationId;
      t.ok(operation.summary, name);
      t.ok(operation.description, name);
      const needed = path.startsWith('/health') ? ['200'] : ['200', '400', '401', '429', '500', '503'];
      for (const status of needed) t.ok(operation.responses[status], `${name} ${status}`);
      for (const { place, media } of mediaOf(operation)) {
        const at = ['paths', path, method, ...place, 'schema'];
        t.equal(reference.problemAt(at, media.example), undefined, `${name} ${place.join(' ')}`);
      }
    }
  });

  t.test('tells of keys, conditions, queueing and revisions where they are taken', async (t) => {
    for (const path of [employees, managers]) {
      const put = operationAt(document, 'put', path);
      t.same(headersOf(put), ['Idempotency-Key', 'If-Match', 'If-Preview', 'Prefer'], path);
      t.same(answerHeaders(put, '200'), ['Idempotent-Replayed', 'Preview-Id', always], path);
      const queued = ['Idempotent-Replayed', 'Location', 'Retry-After', 'Preference-Applied', always];
      t.same(answerHeaders(put, '202'), queued, path);
      t.same(answerHeaders(put, '409'), ['Retry-After', always], path);
      t.same(answerHeaders(put, '412'), ['ETag', always], path);
      for (const status of ['413', '415', '422']) t.ok(put.responses[status], `${path} ${status}`);
    }
    for (const path of ['/v1.0/Survey', '/v1.0/Survey/Update']) {
      const post = operationAt(document, 'post', path);
      t.same(headersOf(post), ['Idempotency-Key'], path);
      t.same(answerHeaders(post, '200'), ['Idempotent-Replayed', always], path);
      for (const status of ['409', '422']) t.ok(post.responses[status], `${path} ${status}`);
    }
    t.same(answerHeaders(operationAt(document, 'get', employees), '200'), ['ETag', 'Link', always]);
    const apiCalls = operationAt(document, 'get', '/v1.0/Company/{companyId}/ApiCalls');
    t.same(answerHeaders(apiCalls, '200'), ['Link', always]);
  });

  t.test('says first that who is missing is removed, and offers the rehearsal first', async (t) => {
    const put = operationAt(document, 'put', employees);
    t.match(put.description, /^Who is not in the list is removed\. Rehearse with `dryRun=true`/);
    for (const path of [employees, managers]) {
      const { parameters = [] } = operationAt(document, 'put', path);
      t.equal(parameters.find(({ name }) => name === 'dryRun')?.example, true, path);
    }
  });

  t.test('has types by name, with the limits and codes that the service goes by', async (t) => {
    const { schemas } = document.components;
    t.match(schemas, {
      Employee: {
        properties: {
          EmployeeID: { maxLength: employeeFields.EmployeeID.maxLength },
          Gender: { anyOf: exactly([{ $ref: '#/components/schemas/Gender' }, { type: 'null' }]) },
        },
      },
      Gender: { type: 'integer', enum: Object.values(codes.gender) },
      SurveyState: { type: 'integer', enum: Object.values(codes.surveyState) },
      QuestionType: { type: 'integer', enum: Object.values(codes.questionType) },
      SurveyDraft: { properties: { Name: { maxLength: limits.survey.name } } },
    });
    for (const name of ['Survey', 'SurveyUpdate', 'ImportResult', 'DryRunResult', 'ApiCall', 'ManagerImport'])
      t.ok(schemas[name], name);
    const sent = JSON.stringify([schemas['Employee'], schemas['SurveyDraft'], schemas['SurveyUpdate']]);
    t.notMatch(sent, /date-time/, 'what is sent has a pattern: clients write +00:00 for the format');
  });

  t.test('refuses no Dimensions that the service takes, and says which names those are', async (t) => {
    const schema = ['paths', employees, 'put', 'requestBody', 'content', 'application/json', 'schema'];
    const person = {
      Firstname: 'Bilbo',
      Lastname: 'Baggins',
      Email: 'bilbo@example.com',
      EmploymentStatus: 0,
    };
    t.match(document.components.schemas['Employee'], {
      properties: { Dimensions: { description: /1 to 150 characters, not blank.*; null is absent/ } },
    });
    const long = 'n'.repeat(150);
    for (const [name, value, isTaken] of [
      ['', null, true],
      [' ', null, true],
      [`${long}n`, null, true],
      [long, 'x', true],
      ['\u{1f600}'.repeat(150), 'x', true],
      ['', 'x', false],
      [' ', 'x', false],
      [`${long}n`, 'x', false],
    ] as const) {
      const body = [{ EmployeeID: 'E-1', ...person, Dimensions: { [name]: value } }];
      const what = `${JSON.stringify(name.slice(0, 4))} ${value}`;
      const { status } = await app.call('PUT', '/v1.0/Company/7/Employee?dryRun=true', { body });
      t.equal(status, isTaken ? 200 : 400, `the service: ${what}`);
      if (isTaken) t.equal(reference.problemAt(schema, body), undefined, `the document: ${what}`);
    }
  });

  t.test('has a page that needs nothing from elsewhere', async (t) => {
    const page = await app.call('GET', '/docs', { token: null });
    t.equal(page.status, 200);
    t.match(page.headers.get('content-type'), /text\/html/);
    t.match(page.text, /<title>Rollcall<\/title>/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    t.ok(sources.length > 0);
    for (const source of sources) {
      t.notMatch(source, /^(?:https?:)?\/\//);
      const url = new URL(source, `${app.url}/docs/`);
      const answer = await fetch(url);
      const content = await answer.text();
      t.ok(content.length > 0, source);
      t.equal(answer.status, 200, source);
      if (source.endsWith('initializer.js')) t.match(content, /"persistAuthorization":\s*true/);
      if (source.endsWith('rollcall.svg')) t.equal(answer.headers.get('content-type'), 'image/svg+xml');
    }
  });
});
