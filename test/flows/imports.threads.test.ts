import { ImportsBusy } from '@rollcall/application';
import t from 'tap';
import { generatedEmployee } from '../generators/employees.js';
import { companyId, otherCompanyId, startTestApp } from '../support/test-app.js';

const pathOf = (company: number): string => `/v1.0/Company/${company}/Employee?dryRun=true`;

t.test('a call that no import thread takes in time is 503, and may come again', async (t) => {
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({ ...imports, accept: () => Promise.reject(new ImportsBusy()) }),
  });
  const before = await app.eventCount();
  const answer = await app.call('PUT', `/v1.0/Company/${companyId}/Employee`, { body: [] });
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '10');
  t.equal(await app.eventCount(), before);
});

t.test('an api is ready only when an import thread answers', async (t) => {
  let answers = false;
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({ ...imports, isReady: () => answers }),
  });
  const ready = () => app.call('GET', '/health/ready', { token: null });
  const { status, json } = await ready();
  t.equal(status, 503);
  t.match(json, { Problems: ['no import thread answers'] });
  answers = true;
  t.equal((await ready()).status, 200);
});

t.test('a body of some size does not wait behind the large ones of another company', async (t) => {
  const app = await startTestApp(t);
  const other = app.token({ claims: { sub: '3', company: otherCompanyId } });
  const filler = 'x'.repeat(500_000);
  const first = generatedEmployee(1);
  const some = { token: other, body: [{ ...first, Extra: filler }] };
  const putSome = () => app.call('PUT', pathOf(otherCompanyId), some);
  await putSome();
  const large = JSON.stringify(Array.from({ length: 24 }, () => ({ ...first, Extra: filler })));
  const ended: string[] = [];
  const all = Array.from({ length: 6 }, async () => {
    await app.call('PUT', pathOf(companyId), { body: large });
    ended.push('large');
  });
  await putSome();
  t.ok(ended.length < 5, `${ended.length} large ones went before it`);
  await Promise.all(all);
});
