import { NoQuery } from '@rollcall/contracts';
import { html } from '../frame/html.js';
import type { PageApp } from '../frame/page-app.js';
import { empty } from '../frame/table.js';

export function startView(page: PageApp): void {
  page.view('', NoQuery, () =>
    Promise.resolve({
      title: 'What needs attention',
      section: 'start',
      body: html`${empty('Nothing needs you.')}`,
    }),
  );
}
