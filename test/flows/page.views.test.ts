import type { Operator } from '@rollcall/contracts';
import tap, { type Test } from 'tap';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { ada, auditor, hiddenIn, signedIn, type Visitor } from './page.support.js';

const script = '<script>alert("1")</script>';

const person = (number: number, change: object = {}): object => ({
  EmployeeID: `E-${number}`,
  Firstname: 'Bilbo',
  Lastname: 'Baggins',
  Email: `bilbo.${number}@example.com`,
  EmploymentStatus: 1,
  Department: 'Shire',
  ...change,
});

async function put(app: TestApp, people: readonly object[], headers = {}): Promise<string> {
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body: people, headers });
  return (json as { readonly ApiOperationId: string }).ApiOperationId;
}

/** Two people, one of whom moves and one is called like an attack, then one leaves; a refused list; one that waits. */
async function lived(t: Test) {
  const app = await startTestApp(t);
  const first = await put(app, [person(1), person(2, { Firstname: script })]);
  const moved = await put(app, [person(1, { Department: 'Rivendell' }), person(2, { Firstname: script })]);
  const left = await put(app, [person(1, { Department: 'Rivendell' })]);
  const refused = await put(app, [person(3, { Email: script })]);
  const waiting = await put(app, [], { prefer: 'respond-async' });
  return { app, visitor: await signedIn(app), first, moved, left, refused, waiting };
}

const other: Operator = { name: 'Eve', role: 'Operator', companyId: 8 };

async function textOf(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(`/operations${path}`);
  return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

const names = (text: string): string[] => text.match(/Done|Refused|Waiting(?= Runs)/g) ?? [];

tap.test('the list of imports, its filters and its presets', async (t) => {
  const { visitor, app, first } = await lived(t);
  const list = (query = ''): Promise<string> => textOf(visitor, `/imports${query}`);
  const table = async (query = ''): Promise<string[]> => names((await list(query)).split(' By ')[1] ?? '');
  t.strictSame(await table(), ['Waiting', 'Refused', 'Done', 'Done', 'Done']);
  t.strictSame(await table('?state=refused&from=today'), ['Refused']);
  t.strictSame(await table('?user=1&state=done'), ['Done', 'Done', 'Done']);
  const today = /name="from".*?value="\d{4}-\d\d-\d\d"/s;
  t.match(await visitor.get('/operations/imports?state=failed&from=today'), { text: today });
  t.match(await list('?state=held'), /No import matches/);
  t.match(await list('?to=2020-01-01'), /No import matches/);
  t.match(await visitor.get('/operations/imports?from=yesterday'), {
    status: 422,
    text: /<title>Error: Imports(?!.*Imports, the newest first)/s,
  });
  t.match(await list('?from=2026-02-02&to=2026-02-01'), /Choose a later day/);
  const text = /Write a day as 2026-11-25/;
  for (const query of ['to=abc', 'to=2026-99-99', 'from=2026-99-99'])
    t.match(await visitor.get(`/operations/imports?${query}`), { status: 422, text }, query);
  t.strictSame(await table('?from=0001-01-01&to=9999-12-31&state=refused'), ['Refused']);
  t.match(await list('?company=7'), /2 added, 0 updated, 0 removed/);
  t.match(await visitor.get('/operations/imports?company=8'), { status: 404 });
  const found = await visitor.get(`/operations/search?q=${first}`);
  t.equal(found.headers.get('location'), `/operations/imports/${first}`);
  t.match(await textOf(await signedIn(app, other), '/imports'), /No imports yet/);
});

tap.test('one import: what it changed, why it was refused, and no script of anybody', async (t) => {
  const { visitor, first, moved, left, refused } = await lived(t);
  t.match(await textOf(visitor, `/imports/${moved}`), /0 added 1 updated 0 removed .* Carried out/);
  const difference = (id: string, part: string) => textOf(visitor, `/imports/${id}/difference?part=${part}`);
  t.match(await difference(moved, 'changed'), /E-1 Department was Shire now Rivendell/);
  t.match(await difference(left, 'removed'), /Removed 1 .* E-2 .*was bilbo\.2@example\.com/);
  const opened = (id: string) => textOf(visitor, `/imports/${id}/difference`);
  t.match(await opened(moved), /E-1 Department was Shire now Rivendell/, 'of an import that removed nobody');
  t.match(await opened(left), /E-2 .*was bilbo\.2@example\.com/);
  const whole = async (id: string) => visitor.get(`/operations/imports/${id}/difference.csv`);
  t.match(await visitor.get(`/operations/imports/${first}`), { text: /difference\.csv" download/ });
  t.match(await whole(first), {
    text: /^\ufeff?Change,Id,EmployeeID,Field,Old,New\r\nInserted,1,E-1,EmployeeID,,E-1/,
  });
  t.match(await whole(left), { text: /\r\nRemoved,2,E-2,Email,bilbo\.2@example\.com,\r\n/ });
  const { headers, text } = await whole(moved);
  t.match(headers.get('content-disposition'), `attachment; filename="difference-${moved}.csv"`);
  t.equal(text.trim().split('\n').at(-1), 'Updated,1,E-1,Department,Shire,Rivendell');
  t.match(await whole(refused), { status: 404 });
  t.match(await textOf(visitor, `/imports/${refused}`), /EmployeeID &#39;E-3&#39;: Email must be/);
  const csv = await visitor.get(`/operations/imports/${refused}/problems.csv`);
  t.match(csv.headers.get('content-disposition'), /attachment/);
  t.match(csv.text, /0,E-3,format,"?\[0\] EmployeeID 'E-3': Email must be/);
  const paths = [`/imports/${first}/difference?part=added`, '/companies/7/employees/2'];
  for (const path of [...paths, '/search?q=nobody', `/search?q=${encodeURIComponent(script)}`]) {
    const { text, status } = await visitor.get(`/operations${path}`);
    t.equal(status, 200, path);
    t.notMatch(text, script, path);
    t.match(text, /&#60;script|Found for/, path);
  }
});

tap.test("a person's page says which import set what", async (t) => {
  const { visitor, moved } = await lived(t);
  const found = await visitor.get('/operations/search?q=BILBO.1@example.com');
  t.equal(found.headers.get('location'), '/operations/companies/7/employees/1');
  const { text } = await visitor.get('/operations/companies/7/employees/1');
  t.match(
    text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    /Changed User of 7 Department was Shire now Rivendell Import .* Joined/,
  );
  t.match(text, `href="/operations/imports/${moved}"`);
  t.match(await textOf(visitor, '/companies/7/employees/2'), /No employee of the company now.*Left.*Joined/);
  t.match((await visitor.get('/operations/companies/7/employees/99')).text, /long ago may have lost its row/);
  const { headers } = await visitor.get('/operations/search?q=E-2');
  t.equal(headers.get('location'), '/operations/companies/7/employees/2');
  t.match(await textOf(visitor, '/companies/7/employees?q=E-2'), /Employee 2 .*Left E-2 Company 7/);
  t.match(await textOf(visitor, '/companies/7/employees?q=E-1'), /Bilbo Baggins E-1/);
  t.notMatch(await textOf(visitor, '/companies/7/employees?q=E-1'), /Left/);
  t.match(await textOf(visitor, '/search?q=E-3'), /People who have left are found by EmployeeID/);
});

tap.test('a search that has not looked at all companies says so', async (t) => {
  const app = await startTestApp(t);
  await put(
    app,
    Array.from({ length: 25 }, (_, at) => person(at + 1)),
  );
  await app.projected();
  const visitor = await signedIn(app, { ...ada, companyId: null });
  t.match(await textOf(visitor, '/search?q=baggins'), /Not all companies were looked at.*20 people/);
  t.notMatch(await textOf(visitor, '/search?q=nobody'), /Not all companies/);
  const own = await signedIn(app);
  t.notMatch(await textOf(own, '/search?q=baggins'), /Not all companies/, 'there is one');
  for (const path of ['/search', '/companies/7/employees']) {
    t.match(await textOf(own, `${path}?q=baggins`), /Of a company the first 20 people found are shown/, path);
    t.notMatch(await textOf(own, `${path}?q=E-1`), /the first 20/, path);
  }
  t.match(await visitor.get('/operations/invitations?company=7&state=sent&day=abc'), { status: 400 });
  for (const [day, status] of [
    ['2026-99-99', 400],
    ['2026-02-30', 400],
    ['9999-12-31', 200],
    ['today', 200],
  ] as const)
    t.match(await visitor.get(`/operations/invitations?company=7&state=sent&day=${day}`), { status }, day);
});

tap.test('a company: its imports, its settings, its state at a moment and a difference', async (t) => {
  const { app, visitor } = await lived(t);
  const own = await visitor.get('/operations/companies');
  t.equal(own.headers.get('location'), '/operations/companies/7');
  t.match(await textOf(await signedIn(app, auditor), '/companies'), /Company 7 7 1/);
  t.match(await textOf(visitor, '/companies/7'), /Employees at the end of each day.*Last imports.*Settings/);
  t.match(
    await textOf(visitor, '/companies/7/moments?at=2099-01-01T00:00'),
    /1 employee, at .*Employee 1 .*Rivendell/,
  );
  const { text } = await visitor.get('/operations/companies/7/moments?at=2099-01-01T00:00');
  const links = new Set(text.match(/\/operations\/imports\/[\da-f-]{36}/g));
  t.equal(links.size, 1, 'settings are of commands, which have no page');
  for (const path of links) t.match(await visitor.get(path), { status: 200 });
  const now = new Date().getUTCFullYear();
  t.match(await textOf(visitor, `/companies/7/moments?at=${now - 1}-01-01T00:00`), /did not exist then/);
  const moments = (query: string) => visitor.get(`/operations/companies/7/moments?${query}`);
  for (const query of ['at=x', 'at=2026-99-99T09:14', 'at=2026-01-01T99:99', 'to=2026-01-01T09:14'])
    t.match(await moments(query), { status: 422, text: /Choose a day and a time/ }, query);
  for (const at of ['0026-11-25T09:14', '0001-01-01T00:00'])
    t.match(await moments(`at=${at}`), { status: 200, text: /did not exist then/ }, at);
  t.match(await moments('at=9999-12-31T23:59'), { status: 200, text: /1 employee, at/ });
  const backwards = `from=${now}-06-02T00:00&to=${now}-06-01T00:00`;
  t.match(await visitor.get(`/operations/companies/7/moments?${backwards}`), {
    status: 422,
    text: /Choose a later(?!.*<h2>The difference)/s,
  });
});

tap.test('actions: cancel and retry with a reason, hold and release, send again', async (t) => {
  const { visitor, waiting } = await lived(t);
  const path = `/operations/imports/${waiting}`;
  const token = (): Promise<string> => visitor.token(path);
  t.match(await visitor.post(`${path}/cancel`, { token: await token() }), { status: 422, text: /Say why/ });
  const done = await visitor.post(`${path}/cancel`, { token: await token(), reason: 'the file was old' });
  t.match(done, { status: 303 });
  t.match(
    await textOf(visitor, `/imports/${waiting}`),
    /Cancelled Cancelled: the file was old.*operator:Ada/,
  );
  const again = await visitor.post(`${path}/retry`, { token: await token(), reason: 'it was not' });
  t.match(again.headers.get('location'), /^\/operations\/imports\/[\da-f-]{36}$/);

  const company = '/operations/companies/7';
  const posted = async (to: string) => visitor.post(to, { token: await token(), reason: 'a pause' });
  t.match(await posted(`${company}/invitations/hold`), { status: 303 });
  t.match(
    await textOf(visitor, '/invitations?company=7'),
    /Held Nothing is sent since .* by operator:Ada: “a pause”/,
  );
  t.match(
    await textOf(visitor, ''),
    /Invitations of Company 7 are held Nothing is sent since .*operator:Ada/,
  );
  const late = await posted(`${company}/invitations/hold`);
  t.match(late, { status: 422, text: /href="#main">Somebody has done this meanwhile.*<details >/s });
  t.match(await visitor.post(`${company}/invitations/release`, { token: await token() }), {
    status: 422,
    text: /href="#reason">Say why.*<details open>.*id="reason"/s,
  });
  t.match(await posted(`${company}/invitations/release`), { status: 303 });
  t.notMatch(await textOf(visitor, '/invitations?company=7'), /Nothing is sent since/);
  t.match(await posted(`${company}/employees/1/resend`), { status: 303 });
  t.match(await textOf(visitor, '/companies/7/employees/1'), /Invitation asked for/);
  t.match(await posted(`${company}/employees/2/resend`), {
    status: 422,
    text: /Nobody who has left is invited/,
  });
});

tap.test('an import is taken back, after a preview', async (t) => {
  const { visitor, left, waiting } = await lived(t);
  const path = `/operations/imports/${left}/undo`;
  const post = async (form: object = {}) => visitor.post(path, { token: await visitor.token(path), ...form });
  t.match(await textOf(visitor, `/imports/${left}/undo`), /An import of this company waits/);
  await visitor.post(`/operations/imports/${waiting}/cancel`, {
    token: await visitor.token(path),
    reason: 'first',
  });
  t.match(
    await textOf(visitor, `/imports/${left}/undo`),
    /Come back 1 Changed back 0 Removed 0.*E-2.*Bring 1 back/,
  );
  t.match(await post(), { status: 422, text: /Say why/ });
  const done = await post({ reason: 'she has not left', revision: '3', force: 'false' });
  const undone = (done.headers.get('location') ?? '').slice(11);
  t.match(await textOf(visitor, undone), /1 added, 0 updated, 0 removed/);
  const operation = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(undone)?.[0] ?? '';
  t.match(await textOf(visitor, `/imports/${operation}/difference`), /Restored: 1 to 1 of 1 .*E-2/);
  t.match(await textOf(visitor, `/imports/${operation}/difference?part=added`), /Added: none in this import/);
  const counted = 'difference?first=added';
  t.match(await visitor.get(`/operations/imports/${operation}`), { text: counted });
  t.match(await textOf(visitor, `/imports/${operation}/${counted}`), /Restored: 1 to 1 of 1 .*E-2/);
  t.match(await textOf(visitor, '/companies/7/employees/2'), /Returned.*operator:Ada/);
  const again = await post({ reason: 'again', revision: '3', force: 'false' });
  t.match(again, { status: 422, text: /<li><a href="#main">/ });
});

tap.test('of an import that a later one has touched the rest is taken back', async (t) => {
  const app = await startTestApp(t);
  await put(app, [person(1), person(2)]);
  const moved = await put(app, [person(1, { Department: 'Moria' }), person(2, { Department: 'Moria' })]);
  await put(app, [person(1, { Department: 'Rivendell' }), person(2, { Department: 'Moria' })]);
  const visitor = await signedIn(app);
  const path = `/operations/imports/${moved}/undo`;
  const { text } = await visitor.get(path);
  t.match(
    text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
    /Changed back 1 .*They are changed back: 1 E-2 .*A later import has changed them, and they are left alone: 1 E-1 /,
  );
  const form = {
    token: hiddenIn(text, 'token'),
    revision: hiddenIn(text, 'revision'),
    force: hiddenIn(text, 'force'),
  };
  const done = await visitor.post(path, { ...form, reason: 'the wrong file' });
  const undone = (done.headers.get('location') ?? '').slice(11);
  t.match(await textOf(visitor, undone), /0 added, 1 updated, 0 removed/);
});

tap.test("another company's operator sees and does nothing, an Auditor reads only", async (t) => {
  const { app, left, waiting } = await lived(t);
  const [eve, reader] = [await signedIn(app, other), await signedIn(app, auditor)];
  const own = [
    '/companies/7',
    '/companies/7/employees/1',
    '/companies/7/moments',
    '/invitations?company=7',
    '/companies/7/employees',
  ];
  for (const path of [
    ...own,
    ...['', '/difference', '/difference.csv', '/problems.csv'].map((part) => `/imports/${left}${part}`),
  ]) {
    t.match(await eve.get(`/operations${path}`), { status: 404 }, path);
    t.match(await reader.get(`/operations${path}`), { status: 200 }, path);
  }
  t.notMatch(await textOf(eve, '/search?q=baggins'), /E-1/);
  t.match(await textOf(eve, '/search?q=E-2'), /Nothing here has/);
  const actions = [
    `/imports/${waiting}/cancel`,
    `/imports/${waiting}/retry`,
    '/companies/7/invitations/hold',
    '/companies/7/employees/1/resend',
  ];
  for (const path of actions) {
    const sent = { reason: 'none', token: await eve.token('/operations/imports') };
    t.match(await eve.post(`/operations${path}`, sent), { status: 404 }, path);
    const read = { reason: 'none', token: await reader.token('/operations/imports') };
    t.match(await reader.post(`/operations${path}`, read), { status: 403 }, path);
  }
  t.notMatch(await textOf(reader, `/imports/${waiting}`), /Cancel this import/);
});
