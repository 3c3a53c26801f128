import { problemCodes, problemEntryCodes, type ProblemDetails } from '@rollcall/contracts';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { companyId, startTestApp, type CallOptions } from '../support/test-app.js';
import { exactly } from '../support/exactly.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const managers = `/v1.0/User/${companyId}/ManagerImport`;
const accept = { accept: 'application/json, application/problem+json' };
const ada = {
  EmployeeID: 'A-1',
  Firstname: 'Ada',
  Lastname: 'L',
  Email: 'ada@example.com',
  EmploymentStatus: 0,
};

t.test('errors as problem details', async (t) => {
  const app = await startTestApp(t);
  const problem = async (
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<ProblemDetails> => {
    const answer = await app.call(method, path, { ...options, headers: { ...options.headers, ...accept } });
    t.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8', path);
    const body = answer.json as ProblemDetails;
    t.equal(body.status, answer.status);
    t.equal(body.instance, answer.headers.get('x-request-id'));
    t.equal(body.type, `/docs/problems/${body.code}`);
    return body;
  };

  t.test('every status of the edge has them', async (t) => {
    t.match(await problem('GET', '/nothing', { token: null }), {
      status: 404,
      code: 'not-found',
      errors: undefined,
    });
    t.match(await problem('DELETE', employees), { status: 405, code: 'method-not-allowed' });
    t.match(await problem('GET', employees, { token: null }), { status: 401, code: 'unauthorized' });
    t.match(await problem('PUT', employees, { body: '[]', headers: { 'content-type': 'text/plain' } }), {
      status: 415,
      code: 'unsupported-media-type',
    });
    t.match(await problem('PUT', employees, { body: [], headers: { 'if-match': '"7"' } }), {
      status: 412,
      code: 'precondition-failed',
    });
  });

  t.test('each problem of a list of employees has pointer, code, text and EmployeeID', async (t) => {
    const body = [
      { ...ada, Phonenumber: '1' },
      { ...ada, Firstname: 7, Dimensions: { 'a b': 1, Team: 1 } },
      5,
      { ...ada, EmployeeID: "it's: x", Email: undefined, JobTitle: 'x'.repeat(51), Gender: 4 },
    ];
    const { errors = [], operationId, detail } = await problem('PUT', employees, { body });
    t.match(operationId, /^[0-9a-f-]{36}$/);
    t.equal(detail, 'The request is not valid.');
    const plain = await app.call('PUT', employees, { body });
    t.same(
      errors.map((each) => each.detail),
      (plain.json as { ValidationErrors: string[] }).ValidationErrors,
    );
    t.same(
      errors.map(({ pointer, code, employeeId }) => [pointer, code, employeeId]),
      [
        ['/0/Phonenumber', 'format', 'A-1'],
        ['/1/Firstname', 'type', 'A-1'],
        ['/1/Dimensions', 'type', 'A-1'],
        ['/1/Dimensions/Team', 'type', 'A-1'],
        ['/1/EmployeeID', 'not-unique', 'A-1'],
        ['/1/Email', 'not-unique', 'A-1'],
        ['/2', 'type', undefined],
        ['/3/Email', 'required', "it's: x"],
        ['/3/Gender', 'not-allowed', "it's: x"],
        ['/3/JobTitle', 'too-long', "it's: x"],
      ],
    );
  });

  t.test('so have those of managers, surveys, queries and JSON', async (t) => {
    const seen = async (method: string, path: string, options: CallOptions) =>
      (await problem(method, path, options)).errors?.map(({ pointer, code }) => [pointer, code]);
    t.same(await seen('PUT', managers, { body: { ManagerRoles: [{ DimensionName: 'Department' }] } }), [
      ['/ManagerRoles/0/DepartmentName', 'required'],
      ['/ManagerRoles/0/FirstName', 'required'],
      ['/ManagerRoles/0/LastName', 'required'],
      ['/ManagerRoles/0/Email', 'required'],
    ]);
    t.same(
      await seen('POST', '/v1.0/survey', {
        body: {
          Name: '',
          CompanyId: companyId,
          SurveySelectionRule: '{"Frequency":"Weekly"}',
          Start: '2026-01-01T00:00:00Z',
          End: '2026-02-30T00:00:00Z',
          State: 9,
          Questions: [
            { Type: 1, Texts: { 1045: '' } },
            { Type: 99, Texts: {} },
          ],
        },
      }),
      [
        ['/Name', 'blank'],
        ['/End', 'format'],
        ['/State', 'not-allowed'],
        ['/SurveySelectionRule', 'not-allowed'],
        ['/Questions/0/Texts/1045', 'blank'],
        ['/Questions/1/Texts', 'blank'],
      ],
    );
    t.match(
      (await seen('POST', '/v1.0/survey', { body: { CompanyId: 0 } }))?.slice(0, 1),
      exactly([['/CompanyId', 'type']]),
    );
    t.same(await seen('GET', `${employees}?Topp=1`, {}), [[undefined, 'unknown']]);
    t.same(await seen('PUT', employees, { body: [], headers: { 'if-match': '5' } }), [
      [undefined, 'invalid'],
    ]);
    t.same(await seen('PUT', employees, { body: '[{]' }), [['', 'json-syntax']]);
  });

  t.test('only where they are asked for', async (t) => {
    for (const header of ['application/json', '*/*', 'application/problem+json;q=0']) {
      const answer = await app.call('GET', '/nothing', { headers: { accept: header } });
      t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', header);
    }
    const done = await app.call('PUT', `${employees}?dryRun=true`, { body: [ada], headers: accept });
    t.match(done.json, { DryRun: true }, 'what is no error stays');
  });

  t.test('every code has its page, and stands in docs/http.md', async (t) => {
    const page = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');
    for (const code of Object.keys(problemCodes)) {
      const answer = await fetch(`${app.url}/docs/problems/${code}`);
      t.equal(answer.status, 200, code);
      t.match(await answer.text(), `<h1><code>${code}</code></h1>`);
      t.match(page, `\`${code}\``, code);
    }
    for (const code of Object.keys(problemEntryCodes)) t.match(page, `\`${code}\``, code);
    t.equal((await fetch(`${app.url}/docs/problems/constructor`)).status, 404);
  });
});
