import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { ada, linkFor, signedIn, Visitor } from './page.support.js';

tap.test('a link signs in once, and signing out ends the session', async (t) => {
  const app = await startTestApp(t);
  const link = linkFor(app, ada);
  const visitor = new Visitor(app);
  t.match(await visitor.get(link), { status: 200, text: /Sign in as Ada/ });
  t.match(await visitor.get(link), { status: 200 }, 'looking uses nothing up');
  t.equal((await visitor.post(link)).headers.get('location'), '/operations');
  t.match(await visitor.get('/operations'), { status: 200, text: /<b>Ada<\/b>/ });

  t.match(await new Visitor(app).post(link), { status: 401, text: /has been used/ });

  const { cookie } = visitor;
  const out = await visitor.post('/operations/sign-out', { token: await visitor.token() });
  t.equal(out.headers.get('location'), '/operations/signed-out');
  t.match(await visitor.get('/operations/signed-out'), { status: 200, text: /signed out/ });
  t.match(await new Visitor(app, cookie).get('/operations'), { status: 401 });
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
