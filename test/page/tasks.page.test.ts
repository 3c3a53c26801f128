import { gzipSync } from 'node:zlib';
import { createLogger } from '@rollcall/host';
import { startProjector } from '@rollcall/projector';
import type { Locator } from 'playwright-core';
import tap, { type Test } from 'tap';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.js';
import { ada, linkFor } from '../flows/page.support.js';
import { desktop, openWindow, phone, whySkipped } from './browser.js';
import { happened, operationAt } from './history.js';

const skip = whySkipped();
tap.setTimeout(300_000);

/** Of each task, the sign-in included. */
const mostClicks = 6;

const person = (number: number, change: object = {}): object => ({
  ...{ EmployeeID: `E-${number}`, EmploymentStatus: 1, Firstname: 'Frodo', Lastname: 'Baggins' },
  ...{ Email: `person.${number}@example.com`, Department: 'Shire' },
  ...change,
});
const bilbo = (change: object = {}): object => person(1, { Firstname: 'Bilbo', ...change });

const put = async (app: TestApp, body: readonly object[]): Promise<void> => {
  await app.call('PUT', '/v1.0/Company/7/Employee', { body });
};

type Screen = typeof phone;

/** Each task with a mouse on a screen, and with a finger on a phone. */
function onEachScreen(name: string, carryOut: (t: Test, screen: Screen) => Promise<void>): void {
  tap.test(`${name}: on a screen`, { skip }, (t) => carryOut(t, desktop));
  tap.test(`${name}: on a phone`, { skip }, (t) => carryOut(t, phone));
}

interface Given {
  readonly screen: Screen;
  readonly before: (app: TestApp) => Promise<void>;
  readonly options?: TestAppOptions;
}

/** Somebody with a link, who has not seen the page. */
async function task(t: Test, { screen, before, options = {} }: Given) {
  const app = await startTestApp(t, options);
  await before(app);
  if (options.projector !== false) await app.projected();
  const isPhone = screen === phone;
  const window = { viewport: screen, hasTouch: isPhone, isMobile: isPhone };
  const { page } = await openWindow(t, app, window);
  let clicks = 0;
  const click = async (locator: Locator): Promise<void> => {
    clicks += 1;
    await (isPhone ? locator.tap() : locator.click());
  };
  await page.goto(linkFor(app, ada));
  await click(page.getByRole('button', { name: 'Sign in' }));
  await page.waitForURL('**/operations');
  const end = (): void => void t.ok(clicks <= mostClicks, `${clicks} clicks`);
  return { page, click, end };
}

onEachScreen('1. why an import waits, who would be removed, and let it through', async (t, screen) => {
  const settings = { batchLimit: 10, batchLimitFrom: 1, overLimit: 'hold', name: 'Acme' } as const;
  const { page, click, end } = await task(t, {
    screen,
    options: { settings, worker: true },
    before: async (app) => {
      await put(app, [bilbo(), person(2), person(3)]);
      await put(app, [person(3)]);
    },
  });
  await click(page.getByRole('link', { name: 'An import of Acme is held' }));
  await page.getByText('It would remove 2 employees of 3: more than the batch limit of 10 %').waitFor();
  t.ok(await page.getByText('Bilbo').isVisible(), 'who would be removed');
  await click(page.getByText('Approve it'));
  await page.locator('details[open] [name=reason]').fill('they have left');
  await page.locator('details[open] [name=typed]').fill('2');
  await click(page.getByRole('button', { name: 'Remove 2 employees and apply' }));
  await page.getByText('0 added, 0 updated, 2 removed').first().waitFor();
  end();
});

onEachScreen('2. which import moved Bilbo Baggins, when, and who sent it', async (t, screen) => {
  const { page, click, end } = await task(t, {
    screen,
    before: async (app) => {
      await put(app, [bilbo(), person(2)]);
      await put(app, [bilbo({ Department: 'Rivendell' }), person(2)]);
    },
  });
  await click(page.getByRole('link', { name: 'Imports' }));
  await page.getByLabel('Find an import or a person').fill('bilbo baggins');
  await click(page.getByRole('button', { name: 'Find' }));
  const row = page.getByRole('row', { name: /Changed/ });
  t.match(
    (await row.innerText()).replace(/\s+/g, ' '),
    /20\d\d, \d\d:\d\d .*User of 7 .*Department.*Shire.*Rivendell/,
  );
  await click(row.getByRole('link', { name: 'Import' }));
  await page.getByRole('heading', { name: /^Import of/ }).waitFor();
  end();
});

onEachScreen('3. a CSV with a wrong column name is corrected, previewed and applied', async (t, screen) => {
  const { page, click, end } = await task(t, { screen, before: (app) => put(app, [bilbo()]) });
  await click(page.getByRole('link', { name: 'Companies' }));
  await click(page.getByRole('link', { name: 'Upload a list' }));
  const lines = [
    'EmployeeID,Firstname,Lastname,Mail address,EmploymentStatus',
    'E-9,Sam,Gamgee,sam@example.com,1',
  ];
  const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
  await page.getByLabel('CSV or JSON file').setInputFiles(file);
  await click(page.getByRole('button', { name: 'Show what it would do' }));
  await page.getByLabel('Column “Mail address”').selectOption('Email');
  await click(page.getByRole('button', { name: 'Show what it would do' }));
  await page.getByLabel('Why').fill('the list of HR');
  await click(page.getByRole('button', { name: 'Remove 1 employee, add 1: apply' }));
  await page.getByText('1 added, 0 updated, 1 removed').first().waitFor();
  end();
});

onEachScreen('4. an import is taken back', async (t, screen) => {
  const { page, click, end } = await task(t, {
    screen,
    before: async (app) => {
      await put(app, [bilbo(), person(2)]);
      await put(app, [bilbo()]);
    },
  });
  await click(page.getByRole('link', { name: 'Imports' }));
  await click(page.locator('tbody th a').first());
  await click(page.getByRole('link', { name: 'Take this import back' }));
  await page.getByLabel('Why').fill('a wrong filter');
  await click(page.getByRole('button', { name: 'Bring 1 back' }));
  await page.getByText('1 added, 0 updated, 0 removed').first().waitFor();
  end();
});

onEachScreen('5. an invitation that failed today is sent again', async (t, screen) => {
  const { page, click, end } = await task(t, {
    screen,
    before: async (app) => {
      await put(app, [bilbo()]);
      const data = { dueAt: new Date().toISOString(), code: '550', problem: 'no such mailbox' };
      await happened(
        app,
        { at: Date.now() - 1_000, stream: 'invitation-7-1' },
        { name: 'InvitationFailed', data },
      );
    },
  });
  await click(page.getByRole('link', { name: '1 invitation failed' }));
  await click(page.getByRole('link', { name: 'E-1' }));
  await click(page.getByText('Send the invitation again'));
  await page.getByLabel('Why').fill('the mailbox is there now');
  await click(page.getByRole('button', { name: 'Send this invitation again' }));
  await page.getByText('The invitation is due now').waitFor();
  end();
});

/** The projector is stopped; what comes then is not shown. */
async function stopped(app: TestApp): Promise<void> {
  await put(app, [bilbo()]);
  const { adapters, store } = app;
  const options = { callTerm: Infinity, verifyEveryMs: Infinity, logger: createLogger('silent') };
  const projector = startProjector({ adapters, digestKey: store.digestKey, ...options });
  await app.projected();
  await projector.close();
  const data = { operationId: operationAt(Date.now(), 1), kind: 'employees', status: 422 } as const;
  await happened(
    app,
    { at: Date.now(), stream: 'company-7' },
    {
      name: 'ImportFailed',
      data: { ...data, reason: 'over the batch limit', validationErrors: ['Over it'] },
    },
  );
}

onEachScreen('6. since when nothing is shown, and what to do', async (t, screen) => {
  let aheadMs = 0;
  const before = async (app: TestApp): Promise<void> => {
    await stopped(app);
    aheadMs = 302_000;
  };
  const options = { projector: false, clock: { now: () => Date.now() + aheadMs } };
  const { page, click, end } = await task(t, { screen, options, before });
  const behind = page.getByRole('link', { name: /The read models are 3\d\d s behind/ });
  // A busy machine may not say it at the first look.
  while (!(await behind.isVisible())) await page.reload();
  await click(behind);
  await page
    .getByText(/The oldest event that is not shown is of .*\d\d:\d\d/)
    .first()
    .waitFor();
  await page.getByText(/see that a projector runs/).waitFor();
  end();
});

tap.test('lists are light: at most 40 KB packed, the style 12 KB', { skip }, async (t) => {
  const { page } = await task(t, {
    screen: desktop,
    before: async (app) => {
      for (let each = 0; each < 60; each += 1) await put(app, [bilbo({ Department: `Hole ${each}` })]);
    },
  });
  const style = await page.locator('link[rel=stylesheet]').getAttribute('href');
  for (const [path, most] of [
    ['/operations/imports', 40],
    ['/operations/companies/7', 40],
    ['/operations/companies/7/employees/1', 40],
    [style ?? '', 12],
  ] as const) {
    const bytes = gzipSync(Buffer.from(await (await page.request.get(path)).body())).length;
    t.comment(`${path}: ${(bytes / 1024).toFixed(1)} KB`);
    t.ok(bytes <= most * 1024, `${path}: ${bytes} bytes`);
  }
});
