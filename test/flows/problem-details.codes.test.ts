import type { CompanySettings, ProblemDetails } from '@rollcall/contracts';
import t, { type Test } from 'tap';
import { people } from '../application/imports.support.js';
import { exactly } from '../support/exactly.js';
import { companyId, startTestApp, type CallOptions } from '../support/test-app.js';
import { newSurvey, thanks, why } from './surveys.support.js';

const employees = `/v1.0/Company/${companyId}/Employee`;
const accept = 'application/problem+json';

async function appWith(t: Test, settings: Partial<CompanySettings> = {}) {
  const app = await startTestApp(t, { settings });
  const problem = async (method: string, path: string, { body, headers }: CallOptions = {}) =>
    (await app.call(method, path, { body, headers: { ...headers, accept } })).json as ProblemDetails;
  return { app, problem };
}

t.test('a list over the batch limit, and one of a company without integration', async (t) => {
  const limited = await appWith(t, { batchLimit: 25, batchLimitFrom: 4 });
  t.equal((await limited.app.call('PUT', employees, { body: people(1, 2, 3, 4) })).status, 200);
  t.match(await limited.problem('PUT', employees, { body: people(1) }), {
    status: 400,
    errors: exactly([{ code: 'batch-limit' }]),
  });
  const off = await appWith(t, { integrationEnabled: false });
  t.match(await off.problem('PUT', employees, { body: people(1) }), {
    status: 400,
    errors: exactly([{ code: 'integration-off' }]),
  });
});

t.test('too many of something, more problems than are shown, and an id that is no path', async (t) => {
  const { problem } = await appWith(t);
  const body = newSurvey({ Questions: [...Array.from({ length: 2_000 }, () => why), thanks] });
  const { errors = [] } = await problem('POST', '/v1.0/survey', { body });
  t.ok(
    errors.some(({ pointer, code }) => pointer === '/Questions' && code === 'too-many'),
    JSON.stringify(errors),
  );
  const many = await problem('PUT', employees, { body: Array.from({ length: 5_000 }, () => 5) });
  t.match(many.errors?.at(-1), { code: 'more', detail: '... and 4000 more' });
  const headers = { 'x-request-id': 'a b/1?%' };
  t.match(await problem('GET', '/nothing', { headers }), { instance: 'a%20b%2F1%3F%25' });
});
