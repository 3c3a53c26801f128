import {
  employeeTimeline,
  findFormer,
  findPeople,
  fromJson,
  invitationEvents,
  readInvitation,
  readRows,
  resendInvitation,
} from '@rollcall/application';
import type { EmployeeRow } from '@rollcall/contracts';
import type { invitations } from '@rollcall/domain';
import { Type, type Static } from 'typebox';
import { HttpError } from '../../http/errors.js';
import { pathOfCompany, pathOfEmployee } from '../companies/company-view.js';
import { type ActionAsk, type Ask, contextOf, countRead } from '../frame/ask.js';
import { actionInput, filterForm, foldedForm, type FormProblem, type Sent } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { counted } from '../frame/numbers.js';
import type { Acted, PageApp } from '../frame/page-app.js';
import { empty, pager } from '../frame/table.js';
import { numberIn } from '../imports/import-filter.js';
import { employeeView, peopleTable } from '../people/employee-view.js';
import { companyOf, SearchQuery, timesOf } from './companies.js';
import { decisionsOf, untilShown } from './import-actions.js';

const timelineRows = 20;
export const foundPeople = 20;
const patienceMs = 1_000;

const revision = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));
/** `from`: what links of older versions say. */
const TimelineQuery = Type.Object({ after: revision, from: revision });

export function employeeViews(page: PageApp): void {
  page.view('/companies/:companyId/employees', SearchQuery, employeesPage);
  page.view('/companies/:companyId/employees/:number', TimelineQuery, (ask) => employeePage(ask));
  page.action('/companies/:companyId/employees/:number/resend', resend);
}

/** Present people, the first of them, then those who had this as their EmployeeID. */
export async function foundIn(ask: Ask, companyId: number, text: string) {
  if (text === '') return { people: [], cut: nothing };
  const here = await findPeople(ask.kit.readModels, companyId, { text, limit: foundPeople + 1 });
  const former = await findFormer(ask.kit.readModels, ask.company.digester, companyId, text);
  const people = [...here.slice(0, foundPeople), ...former];
  if (people.length > 0) countRead(ask, { companyId, what: 'search for employees', rows: people.length });
  return { people, cut: here.length > foundPeople ? firstOnly : nothing };
}

const firstOnly = html`<p class="notice">Of a company the first ${foundPeople} people found are shown.</p>`;

async function employeesPage(ask: Ask<Static<typeof SearchQuery>>): Promise<Page> {
  const { companyId, settings, employees } = await companyOf(ask);
  const text = (ask.query.q ?? '').trim();
  const { people, cut } = await foundIn(ask, companyId, text);
  const path = `${pathOfCompany(companyId)}/employees`;
  const q = { name: 'q', label: 'Name, e-mail address or EmployeeID', type: 'search', value: text } as const;
  const rows = people.map((one) => ({ ...one, companyId, company: settings.name }));
  return {
    title: `Employees of ${settings.name}`,
    section: 'companies',
    body: html`<p>
        <a href="${pathOfCompany(companyId)}">Back to the company</a>, which has
        ${counted(employees, 'employee')}.
      </p>
      ${filterForm(path, [q])} ${cut} ${rows.length > 0 ? peopleTable('People found', rows) : nothing}
      ${text !== '' && rows.length === 0 ? empty('Nobody of this company has this name, address or EmployeeID. People who have left are found by EmployeeID.') : nothing}`,
  };
}

async function employeePage(ask: Ask<Static<typeof TimelineQuery>>, sent?: Sent): Promise<Page> {
  const company = await companyOf(ask);
  const { companyId } = company;
  const number = numberIn(ask.params['number']);
  if (number === undefined) throw new HttpError('not-found');
  const known = await readEmployee(ask, companyId, number);
  const { row } = known;
  countRead(ask, { companyId, what: 'employee page', rows: 1 });
  const times = timesOf(company, ask);
  const actions = row === undefined ? nothing : resendForm(ask, companyId, number, sent);
  return {
    title: row === undefined ? `Employee ${number}` : `${row.Firstname} ${row.Lastname}`.trim(),
    section: 'companies',
    problems: sent?.problems ?? [],
    body: html`<p class="crumb"><a href="${pathOfCompany(companyId)}">${company.settings.name}</a></p>
      ${employeeView({ companyId, ...known, times, actions })}`,
  };
}

/** A 404 for a number that nobody has had. */
async function readEmployee(ask: Ask<Static<typeof TimelineQuery>>, companyId: number, number: number) {
  const { kit } = ask;
  const { log, readModels } = kit;
  const now = (): number => performance.now();
  const { from, after = from } = ask.query;
  const reading = { companyId, number, from: after, limit: timelineRows, until: now() + patienceMs, now };
  const [{ rows: timeline, next }, mails, [stored], invitation] = await Promise.all([
    employeeTimeline(kit, reading),
    invitationEvents(log, companyId, number),
    readRows(readModels, companyId, [number]),
    readInvitation(readModels, { companyId, number, now: ask.now }),
  ]);
  const row = fromJson(stored) as EmployeeRow | undefined;
  const isKnown = row !== undefined || timeline.length > 0 || (next ?? after) !== undefined;
  if (!isKnown) throw new HttpError('not-found');
  const url = pathOfEmployee(companyId, number);
  const pages = pager({ url, next: next?.toString(), isFirst: after === undefined });
  return { row, timeline, mails, invitation, pages };
}

function resendForm(ask: Ask, companyId: number, number: number, sent?: Sent): Html {
  if (ask.operator.role !== 'Operator') return nothing;
  const form = foldedForm({
    name: 'Send the invitation again',
    explained: 'It is due at once, whatever became of it before.',
    path: `${pathOfEmployee(companyId, number)}/resend`,
    token: ask.token(),
    button: 'Send this invitation again',
    sent,
  });
  return html`<div class="actions">${form}</div>`;
}

async function resend(ask: ActionAsk): Promise<Acted | Page> {
  const { companyId, hold } = await companyOf(ask);
  const number = numberIn(ask.params['number']);
  if (number === undefined) throw new HttpError('not-found');
  const { reason, problems } = actionInput(ask.form);
  const again = (found: readonly FormProblem[]): Promise<Page> =>
    employeePage({ ...ask, query: {} }, { action: 'resend', problems: found, values: ask.form });
  if (problems.length > 0) return again(problems);
  const context = contextOf(ask, companyId, reason);
  const outcome = await resendInvitation(decisionsOf(ask), context, { companyId, number, reason });
  if (outcome.kind === 'refused')
    return again([{ field: 'main', text: resendRefusals[outcome.rejection.reason] }]);
  await untilShown(ask, outcome.position);
  return {
    location: `${pathOfEmployee(companyId, number)}#invitation`,
    done: `The invitation is due${hold === undefined ? ' now' : heldUntil}. To stop it, cancel it with “rollcall invitations cancel”.`,
  };
}

const heldUntil = ', and is sent once the held invitations of this company are released';

const resendRefusals: Readonly<Record<invitations.InvitationRejection['reason'], string>> = {
  left: 'Nobody who has left is invited',
  sending: 'It is being sent now: look again in ten minutes',
  ended: 'It has ended already',
  'not-planned': 'It is not planned',
};
