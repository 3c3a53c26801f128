import { newId, operatorKey, OperatorSessions, revokeSessions, systemClock } from '@rollcall/application';
import tap from 'tap';
import { exactly } from '../support/exactly.js';
import { sendRaw, statusOf } from '../support/raw-http.js';
import { startTestApp, testContext } from '../support/test-app.js';
import { ada, hiddenIn, linkFor, signedIn, Visitor } from './page.support.js';

tap.test('a link signs in once, and signing out ends the session', async (t) => {
  const app = await startTestApp(t);
  const link = linkFor(app, ada);
  const visitor = new Visitor(app);
  t.match(await visitor.get(link), { status: 200, text: /Sign in as Ada/ });
  t.match(await visitor.get(link), { status: 200 }, 'looking uses nothing up');
  t.equal((await visitor.post(link)).headers.get('location'), '/operations');
  t.match(await visitor.get('/operations'), { status: 200, text: /<b>Ada<\/b>/ });

  t.match(await new Visitor(app).post(link), {
    status: 401,
    text: /been used.*“rollcall operator link” prints/s,
  });

  const { cookie } = visitor;
  const out = await visitor.post('/operations/sign-out', { token: await visitor.token() });
  t.equal(out.headers.get('location'), '/operations/signed-out');
  t.match(await visitor.get('/operations/signed-out'), { status: 200, text: /signed out/ });
  const text = /need a link: “rollcall operator link” prints/;
  t.match(await new Visitor(app, cookie).get('/operations'), { status: 401, text });
});

tap.test('a form that signs in opens one session, also when it is sent twice', async (t) => {
  const app = await startTestApp(t);
  const link = linkFor(app, ada);
  const [first, second, other] = [new Visitor(app), new Visitor(app), new Visitor(app)];
  const attempt = hiddenIn((await first.get(link)).text, 'attempt');
  t.ok(attempt.length >= 32);
  t.not(hiddenIn((await second.get(link)).text, 'attempt'), attempt);
  for (const visitor of [first, second]) t.match(await visitor.post(link, { attempt }), { status: 303 });
  t.match(await second.get('/operations'), { status: 200 });
  for (const form of [{}, { attempt: '' }, { attempt: `${attempt}x` }])
    t.match(await other.post(link, form), { status: 401, text: /has been used/ });
  await second.post('/operations/sign-out', { token: await second.token() });
  t.match(await first.post(link, { attempt }), { status: 401 }, 'not after the session');
});

tap.test('all sessions of a person are revoked, and nobody else is signed out', async (t) => {
  let late = 0;
  const clock = { now: () => Date.now() + late };
  const app = await startTestApp(t, { clock });
  const [laptop, phone] = [await signedIn(app), await signedIn(app, { ...ada, companyId: null })];
  const other = await signedIn(app, { ...ada, name: 'Adam' });
  const revoke = (name: string) =>
    revokeSessions(
      { ...app.adapters, clock },
      { ...testContext(), receivedAt: new Date().toISOString() },
      name,
    );
  t.match(
    await Promise.all([laptop, phone, other].map((one) => one.get('/operations'))),
    exactly(Array(3).fill({ status: 200 })),
  );
  t.equal(await revoke('Ad'), 0);
  t.equal(await revoke('Ada'), 2);
  late = -3_600_000;
  t.match(await laptop.get('/operations'), { status: 401 }, 'also where the clock is set back');
  late = 3_000;
  t.match(await laptop.get('/operations'), { status: 401 });
  t.match(await phone.post('/operations/sign-out', { token: 'none' }), { status: 401 });
  t.match(await other.get('/operations'), { status: 200 });
  t.equal(await revoke('Ada'), 0, 'once');
  t.equal((await signedIn(app)).cookie === undefined, false, 'a new link lets her in again');
  late = 9.5 * 3_600_000;
  t.equal(await revoke('Adam'), 0, 'a session that has ended by itself');
});

tap.test('a page that only asks how far an import is keeps no session alive', async (t) => {
  let late = 0;
  const app = await startTestApp(t, { clock: { now: () => Date.now() + late } });
  const [idle, busy] = [await signedIn(app), await signedIn(app)];
  const path = `/operations/imports/${testContext().operationId}`;
  for (; late < 40 * 60_000; late += 5 * 60_000) {
    await idle.get(`${path}/progress`);
    await busy.get(path);
  }
  t.match(await idle.get('/operations'), { status: 401 });
  t.match(await busy.get('/operations'), { status: 200 });
});

tap.test('every page is safe from others', async (t) => {
  const app = await startTestApp(t);
  const visitor = await signedIn(app);
  for (const path of ['/operations', '/operations/nowhere', linkFor(app, ada)]) {
    const { headers } = await visitor.get(path);
    t.equal(headers.get('cache-control'), 'no-store', path);
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/);
    t.notMatch(headers.get('content-security-policy'), /unsafe/);
    t.equal(headers.get('x-frame-options'), 'DENY');
  }
});

tap.test('a browser that sends no Sec-Fetch-Site is judged by its Origin', async (t) => {
  const operationsUrl = 'https://rollcall.example.com';
  const [here, there] = [await startTestApp(t), await startTestApp(t, { config: { operationsUrl } })];
  for (const [app, own, origin, status] of [
    [here, here.url, here.url, 303],
    [here, here.url, 'http://127.0.0.1:1', 403],
    [here, here.url, 'null', 303],
    [there, operationsUrl, operationsUrl, 303],
    [there, operationsUrl, 'https://example.com', 403],
    [there, operationsUrl, 'null', 403],
  ] as const) {
    const head = `POST ${linkFor(app, ada)} HTTP/1.1\r\nHost: ${new URL(own).host}\r\nOrigin: ${origin}`;
    const answer = await sendRaw(app.port, [`${head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`]);
    t.equal(statusOf(answer), status, `${origin} at ${own}`);
  }
});

tap.test('a signature for one thing is none for another', async (t) => {
  const { store } = await startTestApp(t);
  const operationId = newId();
  const sessions = new OperatorSessions({
    ...{ log: store.adapters.log, clock: systemClock, key: operatorKey(store.digestKey) },
    ...{ newId: () => operationId, randomId: newId },
  });
  const link = { linkId: newId(), operator: ada, expiresAt: 0 };
  const session = await sessions.signIn(link, `another/${operationId}`);
  if (!session) throw new Error('nobody is signed in');
  const form = sessions.formToken({ ...session, sessionId: 'another' });
  t.not(form, `${operationId}.${session.sessionId}`);
});
