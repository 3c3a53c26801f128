import tap from 'tap';
import { startTestApp } from '../support/test-app.js';
import { ada, auditor, linkFor } from '../flows/page.support.js';
import { busyDay } from './history.js';
import { openWindow, signedInWindow, whySkipped } from './browser.js';
import { exactly } from '../support/exactly.js';

const skip = whySkipped();

tap.test('a person signs in by the link, looks around and signs out', { skip }, async (t) => {
  const app = await startTestApp(t);
  await app.projected();
  const window = await openWindow(t, app);
  const { page } = window;
  await page.goto(linkFor(app, ada));
  await window.look(t, 'sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/operations');
  t.match(await page.title(), /^Nothing needs attention/);
  await window.look(t, 'start-empty');
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Processes' }).waitFor();
  await window.look(t, 'processes');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await window.look(t, 'signed-out');
});

tap.test('what needs attention comes first, and the day below', { skip }, async (t) => {
  const app = await startTestApp(t, { settings: { timeZone: 'Europe/Copenhagen' } });
  await busyDay(app);
  await app.projected();
  const window = await signedInWindow(t, app);
  const { page } = window;
  await page.waitForURL('**/operations');
  const needs = await page.locator('.needs .what').allInnerTexts();
  t.match(
    needs,
    exactly([/^\d+ imports of Company 7 failed/, /^6 invitations failed/, /^Webhook 1 of Company 7 accepts/]),
  );
  t.match(await page.title(), /^3 things to look at/);
  await window.look(t, 'start');
  await page.getByText('The numbers').first().click();
  t.equal(await page.getByRole('table', { name: 'Imports by hour' }).isVisible(), true);
  await page.emulateMedia({ media: 'print' });
  await page.screenshot({ path: 'screenshots/start-print.png', fullPage: true });
});

tap.test('by keyboard alone', { skip }, async (t) => {
  const app = await startTestApp(t);
  const { page } = await signedInWindow(t, app, auditor);
  await page.waitForURL('**/operations');
  await page.keyboard.press('Tab');
  t.equal(await page.locator(':focus').innerText(), 'Skip to the content');
  await page.keyboard.press('Enter');
  t.equal(await page.evaluate<string>('location.hash'), '#main');
});
