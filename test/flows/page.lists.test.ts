import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { ada, signedIn } from './page.support.js';

const everywhere = { ...ada, companyId: null };

tap.test('a company that is none is a mistake beside its field', async (t) => {
  const app = await startTestApp(t);
  const { status } = await app.call('PUT', '/v1.0/Company/7/Employee', { body: [] });
  t.equal(status, 200);
  await app.projected();
  const visitor = await signedIn(app, everywhere);
  const imports = (query: string) => visitor.get(`/operations/imports?${query}`);
  const wrong = { status: 422, text: /id="company-problem"><b>Error:<(?!.*Imports, the newest first)/s };
  for (const company of ['abc', '999', '07', '7e0'])
    t.match(await imports(`company=${company}`), wrong, company);
  const right = { status: 200, text: 'Imports, the newest first' };
  for (const company of ['', '7', '+7']) t.match(await imports(`company=${company}`), right, company);
  const own = await signedIn(app);
  t.match(await own.get('/operations/imports?company=7'), right);
  t.match(await own.get('/operations/imports?company=8'), { status: 404 });
});
