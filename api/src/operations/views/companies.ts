import {
  type CompanyAt,
  companyAt,
  dayEdges,
  dayOf,
  findCompanies,
  headcount,
  knownCompanies,
  type KnownCompany,
  listImports,
  localTime,
  logInTime,
  type Moment,
  rowsAt,
  rowsBetween,
  TooLong,
  webhooksStream,
} from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { Type, type Static } from 'typebox';
import { HttpError } from '../../http/errors.js';
import { companyList, companyView, pathOfCompany } from '../companies/company-view.js';
import { differenceTable, stateTable } from '../companies/moments-view.js';
import { type Ask, companyIn, countRead } from '../frame/ask.js';
import { filterForm, type FormProblem } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { counted } from '../frame/numbers.js';
import { empty, pager, pastEnd } from '../frame/table.js';
import { numberIn } from '../imports/import-filter.js';
import type { Moved, PageApp } from '../frame/page-app.js';
import { type Attention, needList } from '../start/attention.js';

const lastImports = 10;
const pageCompanies = 100;
const headcountDays = 90;
const patienceMs = 5_000;
const maxRows = 100;

const short = Type.Optional(Type.String({ maxLength: 60 }));
export const SearchQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) });
export const CompaniesQuery = Type.Object({ ...SearchQuery.properties, after: short });
type ListAsk = Ask<Static<typeof CompaniesQuery>>;
const MomentsQuery = Type.Object({ at: short, from: short, to: short });

export function companyViews(page: PageApp, attention: Attention): void {
  page.view('/companies', CompaniesQuery, (ask) => listPage(ask, attention));
  page.view('/companies/:companyId', NoQuery, (ask) => companyPage(ask, attention));
  page.view('/companies/:companyId/moments', MomentsQuery, momentsPage);
}

/** One company, or a page of all by id; with `q` of those that have it in their name, or as their id. */
export async function pageOfCompanies(ask: ListAsk, companyId?: number) {
  const { q: text = '', after: cursor } = ask.query;
  const after = companyId === undefined ? numberIn(cursor) : undefined;
  const found = await findCompanies(ask.kit.readModels, { companyId, after, text, limit: pageCompanies + 1 });
  const companies = found.slice(0, pageCompanies);
  const next = found.length > pageCompanies ? String(companies.at(-1)?.companyId) : undefined;
  const isFirst = after === undefined;
  const isWhole = text === '' && isFirst && next === undefined;
  const around = (list: Html): Html => {
    if (isWhole) return list;
    const field = { name: 'q', label: 'Company', hint: 'Name or id', type: 'search', value: text } as const;
    return html`${filterForm(ask.url.replace(/\?.*/, ''), [field])}
    ${companies.length > 0 ? list : empty(isFirst ? 'No company has this name or id.' : pastEnd)}
    ${pager({ url: ask.url, next, isFirst, words: ['First', 'Next', 'No more companies'] })}`;
  };
  return { companies, isWhole, around };
}

/** The company itself for an operator who has one. */
async function listPage(ask: ListAsk, attention: Attention): Promise<Page | Moved> {
  const { companyId } = ask.operator;
  if (companyId !== null) return { location: pathOfCompany(companyId) };
  const { companies, around } = await pageOfCompanies(ask);
  const needs = await attention.ofCompanies(ask, companies);
  const needsOf = (id?: number) => needs.filter((need) => need.companyId === id);
  const list = around(companyList(companies.map((one) => ({ ...one, needs: needsOf(one.companyId) }))));
  const body = html`${needsOf().length > 0 && needList(needsOf())} ${list}`;
  return { title: 'Companies', section: 'companies', body };
}

/** A 404 for a company of another operator, as for none. */
export async function companyOf(ask: Ask): Promise<KnownCompany> {
  const companyId = companyIn(ask, ask.params['companyId']);
  const [company] = await knownCompanies(ask.kit.readModels, companyId);
  if (company === undefined) throw new HttpError('not-found');
  return company;
}

export const timesOf = ({ settings }: KnownCompany, { now }: Ask) => ({ timeZone: settings.timeZone, now });

async function companyPage(ask: Ask, attention: Attention): Promise<Page> {
  const known = await companyOf(ask);
  const { companyId, settings } = known;
  const { readModels } = ask.kit;
  const own = { ...ask, operator: { ...ask.operator, companyId } };
  const company = { ...known, needs: await attention.ofCompanies(own, [known]) };
  const { imports } = await listImports(readModels, { companyId, limit: lastImports });
  const ends = dayEdges({ now: ask.now, timeZone: settings.timeZone, before: headcountDays }).slice(1);
  const moments = [...ends.slice(0, -1), ask.now];
  const heads = await headcount(readModels, { companyId, moments });
  const days = heads.map((head) => dayOf(head.at - 1, settings.timeZone));
  const state = attention.webhookStates.get(webhooksStream(companyId))?.state;
  const notified = state && webhooks.notified(state);
  const view = {
    company,
    imports,
    notified: notified ? webhooks.shownUrl(notified).replace('mailto:', '') : state && 'Off',
    times: timesOf(known, ask),
    days,
    totals: heads.map(({ total }) => total),
    canUpload: ask.operator.role === 'Operator',
  };
  return { title: settings.name, section: 'companies', body: companyView(view) };
}

/** As a `datetime-local` field has them, in the company's zone; `at` alone, or `from` and `to`. */
function momentsIn(query: Static<typeof MomentsQuery>, timeZone: string) {
  const problems: FormProblem[] = [];
  const read = (field: 'at' | 'from' | 'to'): Moment[] => {
    const text = query[field] ?? '';
    if (text === '') return [];
    const ms = localTime(text, timeZone);
    if (Number.isNaN(ms)) problems.push({ field, text: 'Choose a day and a time' });
    // A year of five digits begins with a sign, and sorts behind all others.
    return Number.isNaN(ms) ? [] : [{ at: new Date(ms).toISOString().replace('+', '~') }];
  };
  const [from, to] = [read('from'), read('to')];
  if (query.to && !query.from) problems.push({ field: 'from', text: 'Choose a day and a time' });
  if ((query.from ?? '') > (query.to || '~')) problems.push({ field: 'to', text: 'Choose a later one' });
  const moments = from.length > 0 ? [...from, ...(to.length > 0 ? to : [{ at: '~' }])] : read('at');
  return { moments, problems };
}

async function momentsPage(ask: Ask<Static<typeof MomentsQuery>>): Promise<Page> {
  const company = await companyOf(ask);
  const { companyId, settings } = company;
  const { moments, problems } = momentsIn(ask.query, settings.timeZone);
  const body = moments.length === 0 || problems.length > 0 ? nothing : await answerTo(ask, company, moments);
  const path = `${pathOfCompany(companyId)}/moments`;
  const zone = `On the clocks of ${settings.timeZone}`;
  const field = (name: 'at' | 'from' | 'to', label: string) =>
    ({ name, label, hint: zone, type: 'datetime-local', value: ask.query[name], problems }) as const;
  return {
    title: `${settings.name} at a moment`,
    section: 'companies',
    problems,
    body: html`<p><a href="${pathOfCompany(companyId)}">Back to the company</a></p>
      <h2>State at a moment</h2>
      ${filterForm(path, [field('at', 'At')], 'State at a moment')}
      <h2>Difference of two moments</h2>
      ${filterForm(path, [field('from', 'From'), field('to', 'To, or empty for now')], 'Difference of two moments')}
      ${body}`,
  };
}

async function answerTo(ask: Ask, company: KnownCompany, moments: readonly Moment[]): Promise<Html> {
  const { companyId } = company;
  const now = (): number => performance.now();
  const log = logInTime(ask.kit.log, { until: now() + patienceMs, now });
  try {
    const [one, other] = await companyAt(log, companyId, moments);
    if (one === undefined) return html`<p class="empty">The company did not exist then.</p>`;
    const times = timesOf(company, ask);
    if (other === undefined) {
      const read = await rowsAt(log, one, maxRows);
      const body = stateTable(read.rows, one, times);
      return answerView(ask, one, times, { ...read, body, title: 'The state', command: 'state' });
    }
    const read = await rowsBetween(log, [one, other], maxRows);
    const body = differenceTable(read.rows, other, times);
    return answerView(ask, other, times, { ...read, body, title: 'The difference', command: 'diff' });
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    return html`<p class="notice">
      This company has too many events to answer here within five seconds. Use
      <code>rollcall audit state --company ${companyId}</code> or <code>rollcall audit diff</code>.
    </p>`;
  }
}

interface Answer {
  readonly title: string;
  readonly command: string;
  readonly rows: readonly { readonly part: string }[];
  readonly isPartial: boolean;
  readonly body: Html;
}

function answerView(
  ask: Ask,
  { companyId, head, employees }: CompanyAt,
  times: TimeOptions,
  { rows, isPartial, body, title, command }: Answer,
): Html {
  const people = rows.filter(({ part }) => ['employees', 'users', 'roles'].includes(part));
  countRead(ask, { companyId, what: 'state at a moment', rows: people.length });
  const partial = html`<p class="notice">
    The first ${maxRows} rows. <code>rollcall audit ${command}</code> has all of them, also as CSV.
  </p>`;
  return html`<h2>${title}</h2>
    <p>${counted(employees, 'employee')}, at ${time(head.recordedAt, times)}.</p>
    ${isPartial ? partial : nothing} ${body}`;
}
