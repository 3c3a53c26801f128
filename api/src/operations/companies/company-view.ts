import type { KnownCompany, ListedImport } from '@rollcall/application';
import { companies } from '@rollcall/domain';
import { barChart } from '../frame/chart.js';
import { html, nothing, type Html } from '../frame/html.js';
import { shortDay, time, type TimeOptions } from '../frame/moments.js';
import { counted, number, numberText } from '../frame/numbers.js';
import { empty, facts, state, table } from '../frame/table.js';
import { importTable } from '../imports/import-list-view.js';
import { type Need, needList } from '../start/attention.js';

export const pathOfCompany = (companyId: number): string => `/operations/companies/${companyId}`;
export const pathOfEmployee = (companyId: number, number: number): string =>
  `${pathOfCompany(companyId)}/employees/${number}`;

export const importsOff = 'Imports of this company are off: “rollcall company configure” switches them on';

export interface CompanyRow extends KnownCompany {
  readonly needs: readonly Need[];
}

export const companyList = (rows: readonly CompanyRow[]): Html =>
  rows.length === 0
    ? empty(
        html`No companies yet. <code>rollcall company configure --company 7 --name Acme</code> makes one.`,
      )
    : table<CompanyRow>({
        caption: 'Companies',
        columns: [
          {
            name: 'Company',
            show: ({ companyId, settings }) =>
              html`<a href="${pathOfCompany(companyId)}">${settings.name}</a>`,
          },
          { name: 'Id', isNumber: true, show: ({ companyId }) => String(companyId) },
          { name: 'Employees', isNumber: true, show: ({ employees }) => number(employees) },
          {
            name: 'Needs attention',
            show: ({ needs: { length } }) =>
              length === 0
                ? state('good', 'Nothing')
                : state('bad', `${counted(length, 'thing')} to look at`),
          },
          {
            name: 'Imports',
            show: ({ settings }) => (settings.integrationEnabled ? 'On' : state('quiet', 'Off')),
          },
        ],
        rows,
      });

interface CompanyView {
  readonly company: CompanyRow;
  readonly imports: readonly ListedImport[];
  /** Not in full: an address is a personal value. Undefined: unknown. */
  readonly notified: string | undefined;
  readonly times: TimeOptions;
  /** By day: what the chart shows. */
  readonly days: readonly string[];
  readonly totals: readonly number[];
  readonly canUpload: boolean;
}

export function companyView(view: CompanyView): Html {
  const { company, imports, times, canUpload } = view;
  const path = pathOfCompany(company.companyId);
  return html`${company.needs.length > 0 ? needList(company.needs) : html`<p class="lead">${state('good', 'Nothing of this company needs attention')}</p>`}
    <nav class="presets" aria-label="Of this company">
      <ul>
        ${canUpload && company.settings.integrationEnabled && html`<li><a href="${path}/upload">Upload a list</a></li>`}
        <li><a href="${path}/employees">Employees</a></li>
        <li><a href="/operations/imports?company=${company.companyId}">All imports</a></li>
        <li><a href="/operations/invitations?company=${company.companyId}">Invitations</a></li>
        <li><a href="${path}/moments">State at a moment</a></li>
      </ul>
    </nav>
    ${canUpload && !company.settings.integrationEnabled && html`<p class="hint">${importsOff}.</p>`}
    ${headcountChart(view)}
    <h2>Last imports</h2>
    ${imports.length === 0 ? empty('No imports yet.') : importTable(imports, { now: times.now, zoneOf: () => times.timeZone, nameOf: () => company.settings.name }, false)}
    <h2>Settings</h2>
    ${settingsOf(view)}`;
}

function headcountChart({ days, totals, company }: CompanyView): Html {
  if (totals.length < 2) return nothing;
  const [first = 0] = totals;
  const last = totals.at(-1) ?? 0;
  return barChart({
    id: 'headcount',
    title: 'Employees at the end of each day',
    description: `From ${numberText(first)} on ${days[0] ?? ''} to ${numberText(last)} on ${days.at(-1) ?? ''}. Now ${numberText(company.employees)}.`,
    unit: 'Day',
    labels: days,
    series: [{ name: 'Employees', counts: totals }],
    labelEvery: Math.max(1, Math.ceil(days.length / 6)),
    short: shortDay,
  });
}

const onOff = (is: boolean): string => (is ? 'On' : 'Off');

function batchLimitOf(settings: KnownCompany['settings'], times: TimeOptions): Html {
  const { batchLimitFrom, batchLimitThen: then } = settings;
  const limit = companies.batchLimitAt(settings, times.now);
  const from = counted(batchLimitFrom, 'employee');
  const isForTime = then !== null && Date.parse(then.from) > times.now;
  return html`${limit === null ? 'None' : `${limit}\u00a0% may come or leave in one import, from ${from}`}
  ${isForTime ? html`until ${time(then.from, times)}` : nothing}`;
}

function settingsOf({ company: { settings, employees, hold }, notified, times }: CompanyView): Html {
  const { queueThreshold, businessHours } = settings;
  return facts([
    ['Employees', number(employees)],
    ['Batch limit', batchLimitOf(settings, times)],
    ['Queued from', queueThreshold === null ? 'Never by size' : counted(queueThreshold, 'element')],
    ['E-mails of imports', notified ?? '–'],
    ['Imports', onOff(settings.integrationEnabled)],
    ['Hierarchy import', onOff(settings.hierarchyEnabled)],
    ['Invites new employees', onOff(settings.autoInvite)],
    ['Time zone', settings.timeZone],
    ['Business hours', `${businessHours.from} to ${businessHours.to}`],
    ['Languages', settings.languages.map(({ label }) => label).join(', ') || 'None'],
    [
      'Invitations',
      hold === undefined
        ? 'Go out'
        : html`Held since ${time(hold.since, times)} by
          ${hold.username}${hold.reason === null ? nothing : html`: “${hold.reason}”`}`,
    ],
  ]);
}
