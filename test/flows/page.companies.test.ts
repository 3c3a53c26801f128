import { configureCompany, dayOf, systemClock } from '@rollcall/application';
import tap from 'tap';
import { startTestApp, testContext } from '../support/test-app.js';
import { happened } from '../page/history.js';
import { turnsOf } from '../support/turns.js';
import { furtherCompanies, manyCompanies } from './many-companies.js';
import { ada, auditor, signedIn } from './page.support.js';

const linkIn = (text: string, rel: string): string | undefined =>
  new RegExp(`href="([^"]*)" rel="${rel}"`)
    .exec(text)?.[1]
    ?.replaceAll('&#61;', '=')
    .replaceAll('&#38;', '&');

const rowsIn = (text: string): string[] =>
  [...text.matchAll(/>((?:Firm|Company) \d+)<\/a>/g)].map(([, name = '']) => name);

tap.test('many companies are shown by pages, and found by name or id', async (t) => {
  const visitor = await signedIn(await manyCompanies(t), auditor);
  const get = async (path: string): Promise<string> => (await visitor.get(path)).text;
  for (const path of ['/operations/companies', '/operations/invitations']) {
    const page = await get(path);
    t.strictSame(rowsIn(page).slice(0, 3), ['Company 7', 'Company 8', 'Firm 1001'], path);
    t.equal(rowsIn(page).length, 100);
    t.equal(linkIn(page, 'first'), undefined);
    const next = await get(linkIn(page, 'next') ?? '');
    t.equal(new Set([...rowsIn(page), ...rowsIn(next)]).size, furtherCompanies + 2);
    t.match(next, /No more companies/);
    t.equal(linkIn(next, 'first'), path);
    t.strictSame(rowsIn(await get(`${path}?q=%20fIRM%201140`)), ['Firm 1140']);
    t.strictSame(rowsIn(await get(`${path}?q=8`)).slice(0, 2), ['Company 8', 'Firm 1008']);
    t.match(await get(`${path}?q=nobody`), /No company has this name or id/);
    const found = await get(`${path}?q=firm`);
    t.equal(linkIn(found, 'next'), `${path}?q=firm&after=1100`);
  }
  t.match(await get('/operations/invitations?company=1001'), /Invitations of Firm 1001/);
  t.match(await get('/operations/imports'), /Its id.*<input id="company"/s);
});

tap.test('a page behind the end of its list says so, and leads to the beginning', async (t) => {
  const app = await startTestApp(t);
  const values = { Firstname: 'Bilbo', Lastname: 'Baggins', Email: 'bilbo@example.com', EmploymentStatus: 1 };
  const body = [{ EmployeeID: 'E-1', ...values }];
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body });
  const { ApiOperationId: first } = json as { readonly ApiOperationId: string };
  await app.projected();
  const visitor = await signedIn(app, auditor);
  const get = async (path: string): Promise<string> => (await visitor.get(`/operations${path}`)).text;
  const difference = await get(`/imports/${first}/difference?part=added&skip=50`);
  t.match(difference, /The list ends before this page/);
  t.notMatch(difference, /none in this import/);
  const [, beginning = ''] = /href="([^"]*)">Show its beginning/.exec(difference) ?? [];
  t.match((await visitor.get(beginning.replace(/&#61;/g, '='))).text, /Added: 1 to 1 of 1/);
  for (const path of [
    '/companies?after=99',
    '/invitations?after=99',
    '/invitations?company=7&state=sent&after=1-1',
    '/imports?after=00000000-0000-7000-8000-000000000000',
    '/companies/7/employees/1?after=0',
    // As links of older versions say it.
    '/companies/7/employees/1?from=0',
  ]) {
    const text = await get(path);
    t.match(text, /The list ends before this page|No older imports|No import that was looked at/, path);
    t.match(text, /rel="first">(?:First|Newest)</, path);
    t.notMatch(text, /No company has|No invitation sent/, path);
  }
});

tap.test('a page names nothing that is empty', async (t) => {
  const app = await startTestApp(t);
  const values = { Firstname: 'Bilbo', Lastname: 'Baggins', Email: 'bilbo@example.com', EmploymentStatus: 1 };
  const put = async (body: object[], headers = {}): Promise<string> => {
    const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body, headers });
    return (json as { readonly ApiOperationId: string }).ApiOperationId;
  };
  const done = await put([{ EmployeeID: 'E-1', ...values }]);
  const waiting = await put([], { prefer: 'respond-async' });
  const dueAt = new Date().toISOString();
  const data = { dueAt, replaces: null, reason: null };
  const on = { at: Date.now(), stream: 'invitation-7-1' };
  await happened(app, on, { name: 'InvitationRequested', data });
  await app.projected();
  const visitor = await signedIn(app, auditor);
  const get = async (path: string): Promise<string> => (await visitor.get(`/operations${path}`)).text;
  t.match(await get(`/imports/${done}`), /Attempts<\/dt>\s*<dd>Carried out with the call</);
  t.match(await get(`/imports/${waiting}`), /Attempts<\/dt>\s*<dd>0</);
  t.match(await get('/invitations'), /data-name="Hold">None</);
  const [timeline = '', mails = ''] = (await get('/companies/7/employees/1')).split('id="invitation"');
  t.match(timeline, /data-name="Fields"/);
  t.notMatch(mails, /data-name="(?:Fields|Import)"/);
});

tap.test('days are those of the zone that all companies share', async (t) => {
  const app = await startTestApp(t, { settings: { timeZone: 'Pacific/Kiritimati' } });
  await app.projected();
  const visitor = await signedIn(app, auditor);
  const day = (timeZone: string): string => dayOf(Date.now(), timeZone);
  const shown = async () => (await visitor.get('/operations/imports?from=today')).text;
  const own = await shown();
  t.match(own, /A day in Pacific\/Kiritimati/);
  t.match(own, `value="${day('Pacific/Kiritimati')}"`);
  const deps = { log: app.adapters.log, clock: systemClock };
  await configureCompany(deps, testContext(8), { companyId: 8, changes: { timeZone: 'Asia/Tokyo' } });
  await app.projected();
  t.match(await shown(), /A day in UTC/);
});

tap.test('a company with the largest id has its pages', async (t) => {
  const app = await startTestApp(t);
  const { MAX_SAFE_INTEGER: companyId } = Number;
  const changes = { name: 'Far', languages: [], integrationEnabled: true };
  const deps = { log: app.adapters.log, clock: systemClock };
  await configureCompany(deps, testContext(companyId), { companyId, changes });
  await app.projected();
  const visitor = await signedIn(app, auditor);
  for (const path of [`companies/${companyId}`, `imports?company=${companyId}`])
    t.match(await visitor.get(`/operations/${path}`), { status: 200, text: /Far/ }, path);
  t.match(await visitor.get('/operations/companies/9007199254740993'), { status: 404 });
});

tap.test('imports of all companies name the company, also where all are of one', async (t) => {
  const app = await startTestApp(t);
  await app.call('PUT', '/v1.0/Company/7/Employee', { body: [] });
  await app.projected();
  const imports = async (query: string, operator = auditor): Promise<string> =>
    (await (await signedIn(app, operator)).get(`/operations/imports${query}`)).text;
  t.match(await imports(''), /data-name="Company">Company 7</);
  for (const text of [await imports('?company=7'), await imports('', ada)])
    t.notMatch(text, /data-name="Company"/);
});

tap.test('a search through many companies lets other work go between them', async (t) => {
  const visitor = await signedIn(await manyCompanies(t), auditor);
  const { turns, result } = await turnsOf(() => visitor.get('/operations/search?q=nobody%40example.com'));
  t.match(result, { status: 200, text: /Nothing here has this/ });
  t.ok(turns >= furtherCompanies, `${turns} turns`);
});

tap.test("another company's operation id is not found", async (t) => {
  const app = await startTestApp(t);
  const token = app.token({ claims: { sub: '3', company: 8 } });
  const { json } = await app.call('PUT', '/v1.0/Company/8/Employee', { token, body: [] });
  const { ApiOperationId } = json as { readonly ApiOperationId: string };
  await app.projected();
  const search = async (operator = auditor) =>
    (await signedIn(app, operator)).get(`/operations/search?q=${ApiOperationId}`);
  t.match(await search(ada), { status: 200, text: /Nothing here has/ });
  t.equal((await search()).headers.get('location'), `/operations/imports/${ApiOperationId}`);
});
