import tap from 'tap';
import { signedIn } from '../flows/page.support.js';
import { startTestApp } from '../support/test-app.js';
import { signedInWindow, whySkipped } from './browser.js';

tap.setTimeout(120_000);

tap.test('an import that ends takes nothing away that is typed', { skip: whySkipped() }, async (t) => {
  const app = await startTestApp(t);
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', {
    body: [],
    headers: { prefer: 'respond-async' },
  });
  await app.projected();
  const path = `/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`;
  const typing = await signedInWindow(t, app);
  const { page: reading } = await signedInWindow(t, app);
  for (const page of [typing.page, reading]) await page.goto(path);
  await typing.page.getByText('Cancel this import').first().click();
  await typing.page.getByLabel('Why').fill('an old list');
  const ended = typing.page.getByRole('link', { name: 'Load the page again' });
  t.notOk(await ended.isVisible());
  const other = await signedIn(app);
  const form = { token: await other.token(path), reason: 'by somebody else' };
  t.match(await other.post(`${path}/cancel`, form), { status: 303 });
  await ended.waitFor();
  t.equal(await typing.page.getByLabel('Why').inputValue(), 'an old list');
  await typing.look(t, 'ended-while-typing');
  await ended.click();
  for (const page of [typing.page, reading]) await page.getByText('Try this import again').waitFor();
});
