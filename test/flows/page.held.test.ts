import { configureCompany, listImports, newId, systemClock } from '@rollcall/application';
import type { CompanySettings } from '@rollcall/contracts';
import tap, { type Test } from 'tap';
import { startTestApp, testContext } from '../support/test-app.js';
import { until } from '../support/until.js';
import { auditor, signedIn, type Visitor } from './page.support.js';

const people = (from: number, to: number): object[] =>
  Array.from({ length: to - from }, (_, at) => ({
    EmployeeID: `E-${from + at}`,
    Firstname: 'Bilbo',
    Lastname: 'Baggins',
    Email: `bilbo.${from + at}@example.com`,
    EmploymentStatus: 1,
  }));

async function textOf(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(path);
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

/** An import that waits, by default since it would remove 3 of 4. */
async function held(t: Test, body = people(4, 5)) {
  const settings = { batchLimit: 10, batchLimitFrom: 1, overLimit: 'hold' } as const;
  const app = await startTestApp(t, { settings, worker: true });
  await app.call('PUT', '/v1.0/Company/7/Employee', { body: people(1, 5) });
  const { status, json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  t.equal(status, 202);
  await app.projected();
  const path = `/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`;
  const visitor = await signedIn(app);
  const outcome = async (): Promise<string> =>
    /name="outcome"\s+value="(?<it>[^"]+)"/.exec((await visitor.get(path)).text)?.groups?.['it'] ?? '';
  const decide = async (decision: string, form: object): Promise<number> => {
    const sent = { token: await visitor.token(path), outcome: await outcome(), ...form };
    return (await visitor.post(`${path}/${decision}`, sent)).status;
  };
  return { app, path, visitor, decide };
}

tap.test('a held import shows who would leave, and is approved with the number typed', async (t) => {
  const { app, path, visitor, decide } = await held(t);
  t.match(
    await textOf(visitor, '/operations/imports?state=held'),
    /Held Waits for somebody to approve or reject it/,
  );
  const text = await textOf(visitor, path);
  t.match(text, /It would remove 3 employees of 4: more than the batch limit of 10 %/);
  t.match((await visitor.get(path)).text, 'batch limit of 10\u00a0%.', 'it does not break');
  t.match(text, /Remove 3 employees and apply.*Who would be removed.*E-1 .*E-2 .*E-3 .*signature\):/);
  t.notMatch(await textOf(await signedIn(app, auditor), path), /and apply/);
  t.equal(await decide('approve', { reason: 'the shop has closed', most: '3', typed: '4' }), 422);
  t.equal(
    await decide('approve', { reason: 'the shop has closed', most: '3', typed: '3', outcome: 'another' }),
    422,
  );
  t.equal(await decide('approve', { reason: 'the shop has closed', most: '3', typed: '3' }), 303);
  await until('the import is done', async () => /Done 0 added/.test(await textOf(visitor, path)));
  t.match(
    await textOf(visitor, path),
    /Done 0 added, 0 updated, 3 removed.*Approved.*the shop has closed.*operator:Ada/,
  );
  t.equal(await decide('approve', { reason: 'again', most: '', outcome: 'x' }), 422);
  const late = { token: await visitor.token(path), reason: 'late', most: '' };
  t.match(await visitor.post(`${path}/approve`, late), { text: /href="#main">It is not held any more/ });
});

const idsIn = (html: string): string[] =>
  [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id).sort();

tap.test('a held import is rejected', async (t) => {
  const { path, visitor, decide } = await held(t);
  const typed = { token: await visitor.token(path), typed: '2', most: '3' };
  t.match(await visitor.post(`${path}/approve`, typed), { text: /name="typed"[^>]*value="2"/ });
  const form = { token: await visitor.token(path) };
  const { text, status } = await visitor.post(`${path}/reject`, form);
  t.equal(status, 422);
  t.match(text, /href="#reason">Say why.*action="[^"]*\/reject"(?:(?!<form).)*<label for="reason">/s);
  t.match(text, /action="[^"]*\/approve"(?:(?!<form).)*<label for="approve-reason">/s);
  for (const shown of [text, (await visitor.get(path)).text])
    t.strictSame(idsIn(shown), [...new Set(idsIn(shown))], 'each id stands once');
  t.equal(await decide('reject', { reason: 'a filter was wrong', most: '' }), 303);
  t.match(await textOf(visitor, path), /Rejected Rejected: a filter was wrong/);
  t.match(
    await textOf(visitor, '/operations/imports?state=rejected'),
    /Rejected: a filter was wrong Employees/,
  );
});

tap.test('an import that is held for those who would come says so, and their number is typed', async (t) => {
  const { app, path, visitor, decide } = await held(t, people(1, 15));
  const text = await textOf(visitor, path);
  t.match(
    text,
    /It would add 10 employees to 4: more than the batch limit of 10 %\. It would remove 0\. It would update 0\./,
  );
  t.match(text, /Add 10 employees and apply.*nothing is changed.*What it would do.*E-5 .*E-14 /);
  t.notMatch(text, /Who would be removed|nobody is removed/);
  t.match((await visitor.get(path)).text, /name="most" value="10"/);
  t.equal(await decide('approve', { reason: 'a new shop', most: '10', typed: '0' }), 422);
  const deps = { log: app.adapters.log, clock: systemClock, newId };
  await configureCompany(deps, testContext(7), { companyId: 7, changes: { name: 'Another name' } });
  t.equal(await decide('approve', { reason: 'a new shop', most: '10', typed: '10' }), 303);
  t.match(await textOf(visitor, path), /It is decided anew under the changed settings, and held anew if/);
});

tap.test('an import behind a held one leads to it, an undo says how that one ends', async (t) => {
  const { app, path, visitor } = await held(t);
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body: people(1, 6) });
  await app.projected();
  const { ApiOperationId } = json as { readonly ApiOperationId: string };
  const link = new RegExp(`It waits behind\\s+<a href="${path}">a held import</a>`);
  t.match(await visitor.get(`/operations/imports/${ApiOperationId}`), { text: link });
  t.notMatch(await textOf(visitor, path), /It waits behind/);
  const { imports } = await listImports(app.adapters.readModels, { companyId: 7, state: 'done', limit: 1 });
  const undo = await textOf(visitor, `/operations/imports/${imports[0]?.operationId}/undo`);
  t.match(undo, /approve or reject a held one/);
});

tap.test('a held import names and shows its updates beside the removals', async (t) => {
  const app = await startTestApp(t, {
    settings: { batchLimit: 10, batchLimitFrom: 1, overLimit: 'hold', queueThreshold: null },
    worker: true,
  });
  await app.call('PUT', '/v1.0/Company/7/Employee', { body: people(1, 161) });
  const body = people(1, 101).map((one) => ({ ...one, Department: 'WRONG' }));
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  await app.projected();
  const visitor = await signedIn(app);
  const { ApiOperationId } = json as { readonly ApiOperationId: string };
  const text = await textOf(visitor, `/operations/imports/${ApiOperationId}`);
  t.match(text, /It would remove 60 employees of 160: .* It would add 0\. It would update 100\. /);
  t.match(text, /Remove 60 employees, update 100 and apply/);
  t.match(text, /Removed: the first 50 of 60 .*Updated: the first 50 of 100 .* Department .*WRONG/);
  t.equal(text.match(/WRONG/g)?.length, 50);
});

tap.test(
  'an undo asks for the number where it passes the limit in force, which the company shows',
  async (t) => {
    const undoOf = async (settings: Partial<CompanySettings>) => {
      const app = await startTestApp(t, { settings });
      await app.call('PUT', '/v1.0/Company/7/Employee', { body: people(1, 5) });
      await app.projected();
      const visitor = await signedIn(app);
      const [one] = (await listImports(app.adapters.readModels, { companyId: 7, limit: 1 })).imports;
      const path = `/operations/imports/${one?.operationId}/undo`;
      return { undo: await textOf(visitor, path), company: await textOf(visitor, '/operations/companies/7') };
    };
    const [past, future] = ['2026-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z'];
    const ended = await undoOf({ batchLimitFrom: 1, batchLimitThen: { from: past, limit: 10 } });
    t.match(ended.undo, /They leave: 4 E-1 E-2 E-3 E-4 /);
    t.match(ended.undo, /Type 4 to confirm It is over the batch limit/);
    t.match(ended.company, /Batch limit 10 % may come or leave in one import, from 1 employee Queued/);
    const open = await undoOf({ batchLimitFrom: 1, batchLimitThen: { from: future, limit: 10 } });
    t.notMatch(open.undo, /Type 4/);
    t.match(open.company, /Batch limit None until 1 Jan 9999, /);
    t.notMatch((await undoOf({ batchLimit: 10, batchLimitFrom: 5 })).undo, /Type 4/);
  },
);
