import { knownCompanies, type KnownCompany } from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import type { Ask } from '../frame/ask.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { PageApp } from '../frame/page-app.js';
import { counted } from '../frame/numbers.js';
import { empty } from '../frame/table.js';
import { orUnknown } from '../processes/situation.js';
import { activityCharts } from '../start/activity-charts.js';
import { type Attention, needList } from '../start/attention.js';

/** Of the company; of several ones only where all have the same. */
export function zoneOf(companies: readonly KnownCompany[]): string {
  const zones = new Set(companies.map(({ settings }) => settings.timeZone));
  return zones.size === 1 ? (companies[0]?.settings.timeZone ?? 'UTC') : 'UTC';
}

const none = (companies: readonly KnownCompany[]): Html =>
  empty(
    companies.length > 0
      ? 'A held, failed or overdue import, invitations that fail, and what is wrong with the service will stand here.'
      : html`There is no company yet. Whoever runs the service creates one with
          <code>rollcall company configure</code>.`,
  );

async function lastDay(ask: Ask, companies: readonly KnownCompany[]): Promise<Html> {
  const timeZone = zoneOf(companies);
  return html`<section aria-labelledby="day">
    <h2 id="day">The last 24 hours</h2>
    <p class="hint">Hours are those of ${timeZone}.</p>
    ${await activityCharts(ask, timeZone)}
  </section>`;
}

export function startView(page: PageApp, attention: Attention): void {
  page.view('', NoQuery, async (ask: Ask) => {
    const { kit, operator } = ask;
    const companies = await orUnknown(knownCompanies(kit.readModels, operator.companyId ?? undefined));
    const needs = await attention.needs(ask, companies);
    return {
      title: needs.length === 0 ? 'Nothing needs attention' : `${counted(needs.length, 'thing')} to look at`,
      section: 'start',
      body: html`<section aria-label="Needs attention">
          ${needs.length === 0 ? none(companies ?? []) : needList(needs)}
        </section>
        ${companies === undefined ? nothing : await lastDay(ask, companies)}`,
    };
  });
}
