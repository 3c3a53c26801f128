import { newId, operatorKey, OperatorSessions, systemClock } from '@rollcall/application';
import tap from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { ada, auditor, linkFor, pageRoutes, signedIn, Visitor } from './page.support.js';

/** Their addresses with ids of company 8; those that name no company or import are left out. */
function ofOtherCompany(urls: readonly string[], operationId: string): readonly string[] {
  return urls.filter((url) => /:(?:companyId|operationId)/.test(url)).map((url) => filled(url, operationId));
}

const filled = (url: string, operationId: string): string =>
  url.replace(':companyId', '8').replace(':operationId', operationId).replace(/:\w+/g, '1');

const person = {
  EmployeeID: '1',
  EmploymentStatus: 1,
  Firstname: 'Bilbo',
  Lastname: 'Baggins',
  Email: 'bilbo@example.com',
  Department: 'Burglary',
};

async function importOf(app: TestApp, company: number, employees: readonly object[]): Promise<string> {
  const claims = { sub: company === 7 ? '1' : '3', company };
  const answer = await app.call('PUT', `/v1.0/Company/${company}/Employee`, {
    token: app.token({ claims }),
    body: employees,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const { ApiOperationId } = answer.json as { readonly ApiOperationId: string };
  await app.projected();
  return ApiOperationId;
}

tap.test("another company's views and actions are not there", async (t) => {
  const app = await startTestApp(t);
  const operationId = await importOf(app, 8, [person]);
  const visitor = await signedIn(app);
  for (const path of ofOtherCompany(await pageRoutes('GET'), operationId)) {
    const answer = await visitor.get(path);
    t.equal(answer.status, 404, path);
    t.notMatch(answer.text, /Bilbo|Company 8/, path);
  }
  for (const path of ofOtherCompany(await pageRoutes('POST'), operationId))
    t.equal((await visitor.post(path, { token: await visitor.token(), reason: 'test' })).status, 404, path);
  for (const path of ['/operations', '/operations/imports?company=8', '/operations/companies'])
    t.notMatch((await visitor.get(path)).text, /Company 8|Bilbo/, path);
});

tap.test('the address of a form leads to the page that it is on', async (t) => {
  const app = await startTestApp(t);
  const operationId = await importOf(app, 7, [person]);
  const visitor = await signedIn(app);
  for (const url of await pageRoutes('POST')) {
    const path = filled(url.replace(':companyId', '7'), operationId);
    const { headers, status } = await visitor.get(path);
    if (status === 200) continue;
    t.equal(status, 303, path);
    let location = headers.get('location') ?? '';
    t.ok(path.startsWith(location), location);
    let answer = await visitor.get(location);
    if (answer.status === 303) answer = await visitor.get((location = answer.headers.get('location') ?? ''));
    t.equal(answer.status, 200, location);
  }
  const apply = await visitor.get('/operations/companies/7/upload/apply');
  t.equal(apply.headers.get('location'), '/operations/companies/7', 'which shows the last imports');
  t.equal((await visitor.get('/operations/sign-out?a=/b/c')).headers.get('location'), '/operations');
});

tap.test('on one app', async (suite) => {
  const app = await startTestApp(suite);
  await suite.test('without a session nothing is shown and nothing is done', async (t) => {
    const visitors = [
      new Visitor(app),
      new Visitor(app, 'rollcall=a.b.c.d'),
      new Visitor(app, `rollcall=${newId()}.x.${Date.now()}.y`),
    ];
    for (const visitor of visitors) {
      for (const url of await pageRoutes('GET'))
        t.match(await visitor.get(filled(url, newId())), { status: 401, text: /not signed in/ }, url);
      t.match(await visitor.get('/operations/imports?state=held&user="><b>'), {
        status: 401,
        text: /<a href="\/operations\/imports\?state&#61;held&#38;user&#61;[^"<]*"/,
      });
      for (const url of await pageRoutes('POST'))
        t.equal((await visitor.post(filled(url, newId()))).status, 401, url);
    }
  });

  await suite.test('an API token opens no page, and the page cookie no API', async (t) => {
    const visitor = await signedIn(app);
    const bearer = { authorization: `Bearer ${app.token()}` };
    t.equal((await new Visitor(app).get('/operations', bearer)).status, 401);
    t.equal((await new Visitor(app).post('/operations/sign-out', {}, bearer)).status, 401);
    t.equal((await visitor.get('/v1.0/Company/7/Employee')).status, 401);
    const [pair = ''] = (visitor.cookie ?? '').split('=').slice(1);
    t.equal((await visitor.get('/v1.0/Company/7/Employee', { authorization: `Bearer ${pair}` })).status, 401);
  });

  await suite.test('a form needs the token of its own session', async (t) => {
    const [visitor, other] = [await signedIn(app), await signedIn(app, { ...ada, name: 'Eve' })];
    const token = await visitor.token();
    const wrong = [
      {},
      { token: '' },
      { token: await other.token() },
      { token: `${newId()}.${token.split('.')[1]}` },
    ];
    for (const url of await pageRoutes('POST'))
      for (const form of wrong) t.equal((await visitor.post(filled(url, newId()), form)).status, 403, url);
    t.equal((await visitor.get('/operations')).status, 200, 'it is signed in still');
  });

  await suite.test('a form from another site is refused, and the ways in too', async (t) => {
    const visitor = await signedIn(app);
    const token = await visitor.token();
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
    ];
    for (const headers of foreign) {
      t.equal((await visitor.post('/operations/sign-out', { token }, headers)).status, 403);
      t.equal((await visitor.post(linkFor(app, ada), {}, headers)).status, 403);
    }
    t.equal((await visitor.get('/operations')).status, 200);
  });

  await suite.test('a form is taken once, and not after its session', async (t) => {
    const visitor = await signedIn(app);
    const path = '/operations/companies/7/invitations/hold';
    const form = { token: await visitor.token(), reason: 'test' };
    t.equal((await visitor.post(path, form)).status, 303);
    t.match(await visitor.get('/operations/invitations'), {
      status: 200,
      text: /class="done" role="status"/,
    });
    t.notMatch((await visitor.get('/operations/invitations')).text, /class="done"/, 'it is said once');
    const release = { ...form, token: await visitor.token() };
    await visitor.post('/operations/companies/7/invitations/release', release);
    const held = await app.eventCount();
    t.match(await visitor.post(path, form), {
      status: 409,
      text: /sent before.*href="\/operations\/companies\/7\/invitations"/s,
    });
    t.equal(await app.eventCount(), held, 'it holds nothing again');
    const { cookie } = visitor;
    await visitor.post('/operations/sign-out', { token: await visitor.token() });
    t.equal((await new Visitor(app, cookie).post(path, form)).status, 401);
  });

  await suite.test('an Auditor changes nothing', async (t) => {
    const visitor = await signedIn(app, auditor);
    const token = await visitor.token();
    const before = await app.eventCount();
    for (const url of await pageRoutes('POST'))
      if (url !== '/operations/sign-out')
        t.match(await visitor.post(filled(url, newId()), { token, reason: 'test' }), { status: 403 }, url);
    t.equal(await app.eventCount(), before);
  });
});

tap.test('without a session too, a form that comes too slowly, or is too large, ends', async (t) => {
  const app = await startTestApp(t, { timeouts: { bodyProgress: 100, linger: 50 } });
  const path = linkFor(app, ada);
  const head = (length: number, type: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nOrigin: ${app.url}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\na`;
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])
    t.equal(statusOf(await sendRaw(app.port, [head(20_000, type)])), 408, type);
  const large = await sendRaw(app.port, [head(100_000, 'application/x-www-form-urlencoded')]);
  t.equal(statusOf(large), 413);
  t.equal((await new Visitor(app).post(path, {})).status, 303, 'the link is as good as before');
});

tap.test('links: expired, altered, of another installation, used at once by many', async (t) => {
  const [app, elsewhere] = [await startTestApp(t), await startTestApp(t)];
  const link = linkFor(app, ada);
  const [text = '', signature = ''] = (link.split('/').at(-1) ?? '').split('.');
  const all = Buffer.from(JSON.stringify({ linkId: newId(), operator: auditor, expiresAt: 9e15 }));
  const bad = [
    linkFor(app, ada, { expiresAt: Date.now() - 1 }),
    linkFor(elsewhere, ada),
    `/operations/sign-in/${all.toString('base64url')}.${signature}`,
    `/operations/sign-in/${text}.${signature.slice(0, -1)}`,
    `/operations/sign-in/${text}`,
    `/operations/sign-in/${text}.${signature}.${signature}`,
  ];
  for (const path of bad) {
    t.match(await new Visitor(app).get(path), { status: 401, text: /lets nobody in/ });
    t.equal((await new Visitor(app).post(path)).status, 401);
  }
  const beside = await startTestApp(t, { beside: app });
  const used = await Promise.all(
    Array.from({ length: 8 }, (_, at) => new Visitor(at % 2 === 0 ? app : beside).post(link)),
  );
  t.strictSame(used.map(({ status }) => status).sort(), [303, ...Array.from({ length: 7 }, () => 401)]);
});

tap.test('a session is new at each sign-in, and ends', async (t) => {
  const clock = new ManualTime();
  const app = await startTestApp(t, { clock });
  const link = () => linkFor(app, ada, { expiresAt: clock.now() + 600_000 });
  const planted = (await signedInAt(app, link())).cookie;
  const visitor = new Visitor(app, planted);
  await visitor.post(link());
  t.ok(visitor.cookie);
  t.not(visitor.cookie, planted, 'a cookie that was there before is no session afterwards');
  clock.pass(29 * 60_000);
  t.equal((await visitor.get('/operations')).status, 200, 'a click renews it');
  clock.pass(29 * 60_000);
  t.equal((await visitor.get('/operations')).status, 200);
  t.equal((await new Visitor(app, planted).get('/operations')).status, 401, 'idle for 58 minutes');
  for (let half = 0; half < 14; half++) {
    clock.pass(29 * 60_000);
    await visitor.get('/operations');
  }
  t.equal((await visitor.get('/operations')).status, 200, '7 hours and 44 minutes');
  clock.pass(20 * 60_000);
  t.equal((await visitor.get('/operations')).status, 401, 'over 8 hours');
});

async function signedInAt(app: TestApp, link: string): Promise<Visitor> {
  const visitor = new Visitor(app);
  await visitor.post(link);
  return visitor;
}

tap.test('a signed cookie counts only for the session that the log has', async (t) => {
  const { store, url } = await startTestApp(t);
  const { log } = store.adapters;
  const key = operatorKey(store.digestKey);
  const ids = { newId, randomId: newId };
  const sessions = new OperatorSessions({ log, clock: systemClock, key, ...ids });
  const session = await sessions.signIn({ linkId: newId(), operator: ada, expiresAt: 0 });
  if (!session) throw new Error('nobody is signed in');
  const visit = (sessionId: string) =>
    new Visitor({ url }, `rollcall=${sessions.cookieOf({ ...session, sessionId })}`).get('/operations');
  t.equal((await visit(session.sessionId)).status, 200);
  t.equal((await visit(newId())).status, 401);
});

tap.test('signing out ends the session at the other replica within seconds', async (t) => {
  const clock = new ManualTime();
  const app = await startTestApp(t, { clock });
  const beside = await startTestApp(t, { clock, beside: app });
  const visitor = await signedInAt(app, linkFor(app, ada, { expiresAt: clock.now() + 600_000 }));
  const there = new Visitor(beside, visitor.cookie);
  t.equal((await there.get('/operations')).status, 200);
  await visitor.post('/operations/sign-out', { token: await visitor.token() });
  clock.pass(3_000);
  t.equal((await there.get('/operations')).status, 401);
});

tap.test('a name is text, wherever it is shown', async (t) => {
  const script = `"'><script>alert(1)</script>`;
  const app = await startTestApp(t, { settings: { name: script } });
  const operationId = await importOf(app, 7, [
    { ...person, Firstname: script, Lastname: script, Department: script },
  ]);
  const visitor = await signedIn(app, { ...ada, name: script });
  for (const url of await pageRoutes('GET')) {
    const path = url.replace(':companyId', '7').replace(':operationId', operationId).replace(/:\w+/g, '1');
    const { text, headers } = await visitor.get(path);
    if (url.endsWith('.csv')) {
      t.match(headers.get('content-disposition'), /^attachment; /, path);
      t.equal(headers.get('x-content-type-options'), 'nosniff', path);
      continue;
    }
    t.notMatch(text, '<script>alert', path);
    t.notMatch(text, `"'><`, path);
  }
  t.match(
    (await visitor.get(linkFor(app, { ...ada, name: script }))).text,
    /Sign in as &#34;&#39;&#62;&#60;script/,
  );
});

tap.test('behind TLS the cookie is of this host alone, and the page only there', async (t) => {
  const app = await startTestApp(t, { config: { operationsUrl: 'https://rollcall.example.com' } });
  t.equal((await new Visitor(app).get(linkFor(app, ada))).status, 404, 'under another name');
  const answer = await fetchAs(app, linkFor(app, ada));
  t.match(answer, /__Host-rollcall=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure/i);
});

/** As a proxy hands it on. `fetch` sends its own Host. */
async function fetchAs({ port }: TestApp, path: string): Promise<string> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = { host: 'rollcall.example.com', 'sec-fetch-site': 'same-origin', 'content-length': '0' };
    request({ port, path, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(String(response.headers['set-cookie']));
    })
      .on('error', reject)
      .end();
  });
}
