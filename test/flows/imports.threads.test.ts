import { ImportsBusy } from '@rollcall/application';
import t from 'tap';
import { generatedEmployee } from '../generators/employees.js';
import { exactly } from '../support/exactly.js';
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

t.test('a call that is not decided in time is 503, and its key gives its outcome later', async (t) => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const app = await startTestApp(t, {
    timeouts: { answer: 200 },
    wrapImports: (imports) => ({
      ...imports,
      accept: async (request) => {
        // Decided in time, as far as the import thread knows.
        const outcome = await imports.accept({ ...request, answerBy: Infinity });
        await gate;
        return outcome;
      },
    }),
  });
  const put = () =>
    app.call('PUT', `/v1.0/Company/${companyId}/Employee`, {
      headers: { 'idempotency-key': 'k' },
      body: [generatedEmployee(1)],
    });
  const late = await put();
  t.equal(late.status, 503);
  t.ok(Number(late.headers.get('retry-after')) > 0);
  t.equal((await put()).status, 409, 'it is still under way');
  open();
  let again = await put();
  while (again.status === 409) again = await put();
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.match(again.json, { Inserted: 1 });
});

t.test('what was not decided in time is given up', async (t) => {
  const answers: boolean[] = [];
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({
      ...imports,
      accept: (request) => imports.accept({ ...request, answerBy: answers.shift() === true ? Infinity : 0 }),
    }),
  });
  const before = await app.eventCount();
  answers.push(false, true);
  const put = () => app.call('PUT', `/v1.0/Company/${companyId}/Employee`, { body: [generatedEmployee(1)] });
  const late = await put();
  t.equal(late.status, 503);
  t.ok(Number(late.headers.get('retry-after')) > 0);
  t.equal(await app.eventCount(), before);
  t.match((await put()).json, { Inserted: 1 });
});

t.test('an api is ready only when an import thread answers', async (t) => {
  let answers = false;
  const app = await startTestApp(t, {
    wrapImports: (imports) => ({ ...imports, isReady: () => answers }),
  });
  const ready = () => app.call('GET', '/health/ready', { token: null });
  const { status, json } = await ready();
  t.equal(status, 503);
  t.match(json, { Problems: exactly(['no import thread answers']) });
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
