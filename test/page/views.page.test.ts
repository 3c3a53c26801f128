import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { ada, linkFor, pageRoutes, signedIn } from '../flows/page.support.js';
import { busyDay } from './history.js';
import { openWindow, signedInWindow, whySkipped } from './browser.js';

const skip = whySkipped();
tap.setTimeout(300_000);

const person = (number: number, change: object = {}): object => ({
  EmployeeID: `E-${number}`,
  EmploymentStatus: 1,
  Firstname: ['Bilbo', 'Primula', 'Drogo', 'Esmeralda'][number % 4],
  Lastname: ['Baggins', 'Brandybuck', 'Took'][number % 3],
  Email: `person.${number}@example.com`,
  Department: ['Shire', 'Rivendell', 'Moria'][number % 3],
  ...change,
});

const people = (count: number): object[] => Array.from({ length: count }, (_, at) => person(at + 1));

tap.test('each view', { skip }, async (t) => {
  const app = await startTestApp(t, { settings: { timeZone: 'Europe/Copenhagen', name: 'Acme' } });
  const put = async (body: readonly object[]): Promise<string> => {
    const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', { body });
    return (json as { readonly ApiOperationId: string }).ApiOperationId;
  };
  await put(people(40));
  const [, ...others] = people(44);
  const operationId = await put([person(1, { Department: 'Mordor' }), ...others.slice(0, 41)]);
  await app.projected();
  const window = await signedInWindow(t, app, { ...ada, companyId: null });
  const urls = (await pageRoutes('GET')).filter((url) => !/\.csv$|progress$/.test(url));
  t.ok(urls.length > 8);
  for (const url of urls) {
    const path = url.replace(':companyId', '7').replace(':operationId', operationId).replace(/:\w+/g, '1');
    const answer = await window.page.goto(path);
    t.equal(answer?.status(), 200, path);
    t.ok(Number((await answer?.body())?.byteLength) < 100_000, `${path} is light`);
    await window.look(t, url.replace('/operations', 'view').replaceAll(/[/:]+/g, '-'));
  }
  for (const [name, path] of [
    ['difference', `imports/${operationId}/difference?part=changed`],
    ['state', 'companies/7/moments?at=2030-01-01T12:00'],
    ['moments', 'companies/7/moments?from=2026-01-01T12:00'],
    ['invitations', 'invitations?company=7'],
    ['person', 'search?q=Bilbo'],
  ] as const) {
    t.equal((await window.page.goto(`/operations/${path}`))?.status(), 200, path);
    await window.look(t, `filled-${name}`);
  }
});

tap.test('a name that is written from right to left turns nothing else around', { skip }, async (t) => {
  const app = await startTestApp(t);
  for (const Firstname of ['\u05e9\u05e8\u05d4', '\u05e8\u05d5\u05ea', '\u202eBilbo'])
    await app.call('PUT', '/v1.0/Company/7/Employee', { body: [person(1, { Firstname })] });
  await app.projected();
  const { page } = await signedInWindow(t, app);
  await page.goto('/operations/companies/7/employees/1');
  const leftOf = async (name: string): Promise<number> =>
    (await page.locator(`tr:nth-child(2) ${name}`).boundingBox())?.x ?? NaN;
  t.ok((await leftOf('b')) < (await leftOf('del')) && (await leftOf('del')) < (await leftOf('ins')));
});

tap.test('what an import of managers changed', { skip }, async (t) => {
  const app = await startTestApp(t, { settings: { name: 'Acme' } });
  const managers = Array.from({ length: 8 }, (_, at) => ({
    ...{
      DimensionName: 'Department',
      DepartmentName: ['Shire', 'Moria'][at % 2],
      FirstName: `Peregrin ${at}`,
    },
    ...{ LastName: 'Took', Email: `manager.${at}@example.com`, PrimaryContact: at < 2 },
  }));
  for (const ManagerRoles of [managers, managers.slice(3)])
    await app.call('PUT', '/v1.0/User/7/ManagerImport', { body: { ManagerRoles } });
  await app.projected();
  const window = await signedInWindow(t, app);
  await window.page.goto('/operations/imports');
  await window.page.locator('tbody a').first().click();
  await window.page.getByText('What it changed').waitFor();
  await window.look(t, 'managers');
  await window.page.getByRole('link', { name: 'Users, departments and roles' }).click();
  await window.look(t, 'managers-difference');
  await window.page.getByRole('link', { name: 'Roles disabled 3' }).click();
  await window.look(t, 'managers-roles');
});

tap.test('an import under way is followed, and its call copied', { skip }, async (t) => {
  const app = await startTestApp(t, { worker: true });
  const window = await openWindow(t, app, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = window;
  await page.goto(linkFor(app, ada));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/operations');
  const options = { body: people(3), headers: { prefer: 'respond-async' } };
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', options);
  await page.goto(`/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`);
  await page.getByText('3 added').first().waitFor();
  await page.locator('[data-copy=curl]').click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  t.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^curl -X PUT /);
  t.strictSame(window.errors, []);
});

tap.test('a page that answers a form is not sent again when the import ends', { skip }, async (t) => {
  const app = await startTestApp(t);
  const options = { body: people(3), headers: { prefer: 'respond-async' } };
  const { json } = await app.call('PUT', '/v1.0/Company/7/Employee', options);
  await app.projected();
  const path = `/operations/imports/${(json as { readonly ApiOperationId: string }).ApiOperationId}`;
  const { page } = await signedInWindow(t, app);
  await page.goto(path);
  await page.getByText('Cancel this import').first().click();
  await page.getByRole('button', { name: 'Cancel this import' }).click();
  await page.getByRole('link', { name: 'Say why' }).click();
  t.equal(await page.evaluate('document.activeElement.name'), 'reason');
  const other = await signedIn(app);
  await other.post(`${path}/cancel`, { token: await other.token(path), reason: 'the file was old' });
  await page.getByText('Cancelled: the file was old').first().waitFor();
  t.equal(new URL(page.url()).pathname, path);
  t.notOk(await page.getByText('There is a problem').isVisible());
});

tap.test('without JavaScript', { skip }, async (t) => {
  const app = await startTestApp(t);
  await busyDay(app);
  await app.projected();
  const { page } = await openWindow(t, app, { javaScriptEnabled: false });
  await page.goto(linkFor(app, ada));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /imports of Company 7 failed/ }).click();
  t.match(await page.title(), /^Imports/);
  t.ok((await page.getByText('Failed').count()) > 1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  t.match(await page.title(), /^You are signed out/);
});
