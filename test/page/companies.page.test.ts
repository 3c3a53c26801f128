import tap from 'tap';
import { manyCompanies } from '../flows/many-companies.js';
import { auditor } from '../flows/page.support.js';
import { signedInWindow, whySkipped } from './browser.js';

tap.setTimeout(120_000);

tap.test('one of many companies is found by page and by name', { skip: whySkipped() }, async (t) => {
  const window = await signedInWindow(t, await manyCompanies(t), auditor);
  const { page } = window;
  for (const [list, path] of [
    ['Companies', '/operations/companies'],
    ['Invitations', '/operations/invitations'],
  ] as const) {
    await page.goto(path);
    await window.look(t, `many-${list.toLowerCase()}`);
    await page.getByRole('link', { name: 'Next', exact: true }).click();
    t.ok(await page.getByRole('link', { name: 'Firm 1148' }).isVisible());
    await window.look(t, `many-${list.toLowerCase()}-last`);
    await page.getByLabel('Company', { exact: true }).fill('firm 1003');
    await page.getByRole('button', { name: 'Show' }).click();
    t.equal(await page.locator('tbody tr').count(), 1);
    t.ok(await page.getByRole('link', { name: 'Firm 1003' }).isVisible());
    await page.getByRole('link', { name: 'Clear' }).click();
    t.equal(await page.locator('tbody tr').count(), 100);
  }
});
