import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Operator } from '@rollcall/contracts';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import tap, { type Test } from 'tap';
import { root } from '../runner/test-files.js';
import type { TestApp } from '../support/test-app.js';
import { ada, linkFor } from '../flows/page.support.js';

const { CHROMIUM: executablePath = '/usr/bin/chromium', TEST_PAGE } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = join(root, 'screenshots');

/** Why these tests cannot run here; a failure instead where they must. */
export function whySkipped(): string | false {
  if (existsSync(executablePath)) return false;
  const why = `no ${executablePath}: install chromium, or set CHROMIUM`;
  if (TEST_PAGE === 'required') throw new Error(why);
  return why;
}

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 320, height: 640 };

/** A browser's window on the page, which collects what its console complains of. */
export class Window {
  readonly page: Page;
  readonly errors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text());
    });
    page.on('pageerror', (error) => this.errors.push(error.message));
  }

  /**
   * The page as it is: both colour schemes, on a screen and at 320 px, each as a picture and without a serious finding of axe; nothing
   * is wider than the phone, and the console is silent.
   */
  async look(t: Test, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme });
      for (const [screen, viewport] of Object.entries({ screen: desktop, phone })) {
        await this.page.setViewportSize(viewport);
        mkdirSync(folder, { recursive: true });
        await this.page.screenshot({
          path: join(folder, `${name}-${screen}-${colorScheme}.png`),
          fullPage: true,
        });
        t.strictSame(await this.#findings(), [], `axe: ${name}, ${screen}, ${colorScheme}`);
      }
      t.ok((await this.#width()) <= phone.width, `${name} fits into ${phone.width} px`);
    }
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize(desktop);
    t.strictSame(this.errors, [], `the console is silent: ${name}`);
  }

  #width(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth');
  }

  async #findings(): Promise<readonly string[]> {
    await this.page.evaluate(axe);
    const found = await this.page.evaluate<readonly Finding[]>(
      'axe.run().then(({ violations }) => violations)',
    );
    return found
      .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-unique')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Of all tests of a file: what each leaves in it ends with its window. */
let browser: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return browser;
}
tap.teardown(async () => (await browser)?.close());

/** Nobody has used it yet. */
export async function openWindow(
  t: Test,
  app: Pick<TestApp, 'url'>,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const opened = await openBrowser();
  const context = await opened.newContext({
    baseURL: app.url,
    viewport: desktop,
    locale: 'en-GB',
    ...options,
  });
  t.teardown(() => context.close());
  return new Window(await context.newPage());
}

/** Signed in by click, at the start. */
export async function signedInWindow(t: Test, app: TestApp, operator: Operator = ada): Promise<Window> {
  const window = await openWindow(t, app);
  await window.page.goto(linkFor(app, operator));
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  return window;
}
