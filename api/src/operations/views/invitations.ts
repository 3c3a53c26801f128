import {
  dayEdges,
  dayOf,
  type Edges,
  endedInvitations,
  holdInvitations,
  InvitationBoard,
  invitationActivity,
  InvitationsSnapshot,
  type KnownCompany,
  plannedIn,
  startOfDay,
  startOfNextDay,
} from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import { Type, type Static } from 'typebox';
import { invalidRequest } from '../../http/errors.js';
import { pathOfCompany } from '../companies/company-view.js';
import { type ActionAsk, type Ask, companyIn, contextOf, countRead } from '../frame/ask.js';
import { barChart } from '../frame/chart.js';
import { actionInput, foldedForm, type Sent } from '../frame/forms.js';
import { current, html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { shortDay, time, type TimeOptions } from '../frame/moments.js';
import { capitalized, counted, numberText } from '../frame/numbers.js';
import type { Acted, PageApp } from '../frame/page-app.js';
import { empty, pager, pastEnd, state, table } from '../frame/table.js';
import { invitationTable } from '../people/invitation-list-view.js';
import { CompaniesQuery, companyOf, pageOfCompanies, timesOf } from './companies.js';
import { decisionsOf, untilShown } from './import-actions.js';

const pageRows = 50;
const funnelDays = 7;
const path = '/operations/invitations';

const text = Type.Optional(Type.String({ maxLength: 60 }));
const ListQuery = Type.Object({ ...CompaniesQuery.properties, company: text, state: text, day: text });
type ListAsk = Ask<Static<typeof ListQuery>>;

export function invitationViews(page: PageApp): void {
  page.view('/invitations', ListQuery, listPage);
  page.view('/companies/:companyId/invitations', NoQuery, async (ask) => {
    const { companyId } = await companyOf(ask);
    return { location: `${path}?company=${companyId}` };
  });
  page.action('/companies/:companyId/invitations/hold', (ask) => holdOrRelease(ask, true));
  page.action('/companies/:companyId/invitations/release', (ask) => holdOrRelease(ask, false));
}

async function listPage(ask: ListAsk): Promise<Page> {
  const { company } = ask.query;
  const companyId = company ? companyIn(ask, company) : (ask.operator.companyId ?? undefined);
  const { companies, isWhole, around } = await pageOfCompanies(ask, companyId);
  const [only] = companies;
  if (isWhole && companies.length === 1 && only !== undefined) return companyPage(ask, only);
  return { title: 'Invitations', section: 'invitations', body: around(await companyTable(ask, companies)) };
}

interface Failed {
  readonly company: KnownCompany;
  readonly failed: number;
  readonly sent: number;
}

async function companyTable(ask: Ask, companies: readonly KnownCompany[]): Promise<Html> {
  const rows: Failed[] = [];
  for (const company of companies) {
    const edges = dayEdges({ now: ask.now, timeZone: company.settings.timeZone, before: 0 });
    const [sent, failed] = await tallies(ask, company.companyId, edges);
    rows.push({ company, sent: sent[0] ?? 0, failed: failed[0] ?? 0 });
  }
  const href = ({ company }: Failed, query: string): string => `${path}?company=${company.companyId}${query}`;
  return rows.length === 0
    ? empty('No companies yet.')
    : table<Failed>({
        caption: 'Invitations of today',
        columns: [
          {
            name: 'Company',
            show: (row) => html`<a href="${href(row, '')}">${row.company.settings.name}</a>`,
          },
          { name: 'Id', isNumber: true, show: ({ company }) => String(company.companyId) },
          { name: 'Sent today', isNumber: true, show: ({ sent }) => numberText(sent) },
          {
            name: 'Failed today',
            isNumber: true,
            show: (row) =>
              row.failed === 0
                ? '0'
                : html`<a href="${href(row, '&state=failed&day=today')}"
                    ><b>${numberText(row.failed)}</b></a
                  >`,
          },
          {
            name: 'Hold',
            show: ({ company: { hold } }) => (hold === undefined ? 'None' : state('bad', 'Held')),
          },
        ],
        rows,
      });
}

const tallies = (ask: Ask, companyId: number, edges: Edges) =>
  Promise.all(
    (['sent', 'failed'] as const).map((ending) =>
      invitationActivity(ask.kit.readModels, { companyId, ending, edges }),
    ),
  ) as Promise<[sent: readonly number[], failed: readonly number[]]>;

const boards = new WeakMap<object, InvitationBoard>();

/** One for the process: it knows what it has read. */
function boardOf({ kit }: Ask): InvitationBoard {
  const board = boards.get(kit) ?? new InvitationBoard(kit.readModels, () => InvitationsSnapshot.load(kit));
  boards.set(kit, board);
  return board;
}

const lists: readonly (readonly [name: string, query: string])[] = [
  ['Waiting', ''],
  ['Failed today', '&state=failed&day=today'],
  ['Failed', '&state=failed'],
  ['Sent', '&state=sent'],
];

async function companyPage(ask: ListAsk, company: KnownCompany, sent?: Sent): Promise<Page> {
  const { companyId, settings } = company;
  const times = timesOf(company, ask);
  const waiting = await boardOf(ask).waiting({ companyId, now: ask.now, limit: pageRows });
  const edges = dayEdges({ now: ask.now, timeZone: settings.timeZone, before: funnelDays - 1, behind: 1 });
  const [gone, failed] = await tallies(ask, companyId, edges);
  const planned = plannedIn(waiting, edges);
  const rows = Math.min(waiting.due.length, pageRows) + Math.min(waiting.deferred.length, pageRows);
  if (shownOf(ask) === 'waiting') countRead(ask, { companyId, what: 'invitations', rows });
  const days = edges.slice(0, -1).map((edge) => dayOf(edge, settings.timeZone));
  const own = `${path}?company=${companyId}`;
  return {
    title: `Invitations of ${settings.name}`,
    section: 'invitations',
    problems: sent?.problems ?? [],
    body: html`<p class="crumb"><a href="${pathOfCompany(companyId)}">${settings.name}</a></p>
      ${holdOf(company, times)} ${listLinks(ask, own)}
      ${shownOf(ask) === 'waiting' ? waitingList(waiting, { companyId, times }) : await endedList(ask, company)}
      ${barChart({
        id: 'funnel',
        title: 'Sent and failed by day',
        description: `In ${funnelDays} days ${numberText(sumOf(gone))} sent and ${numberText(sumOf(failed))} failed.`,
        unit: 'Day',
        labels: days.slice(0, -1),
        labelEvery: 2,
        short: shortDay,
        series: [
          { name: 'Sent', counts: gone.slice(0, -1) },
          { name: 'Failed', counts: failed.slice(0, -1), isBad: true },
        ],
      })}
      <p>
        Planned for later today: ${numberText(planned.at(-2) ?? 0)}; for tomorrow:
        ${numberText(planned.at(-1) ?? 0)}; in all: ${numberText(sumOf([...waiting.planned.values()]))}. Who
        has left since, or was invited earlier, is counted too.
      </p>
      ${holdForm(ask, company, sent)}`,
  };
}

const listLinks = (ask: ListAsk, own: string): Html =>
  html`<nav class="presets" aria-label="Kinds of invitations">
    <ul>
      ${lists.map(([name, query]) => {
        const isShown = own + query === ask.url || (query === '' && shownOf(ask) === 'waiting');
        return html`<li><a href="${own}${query}" ${current(isShown)}>${name}</a></li>`;
      })}
    </ul>
  </nav>`;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const shownOf = ({ query }: ListAsk): 'failed' | 'sent' | 'waiting' =>
  query.state === 'failed' || query.state === 'sent' ? query.state : 'waiting';

const holdOf = ({ hold }: KnownCompany, times: TimeOptions): Html =>
  hold === undefined
    ? nothing
    : html`<p class="lead">
        ${state('bad', 'Held')} Nothing is sent since ${time(hold.since, times)}, by
        ${hold.username}${hold.reason === null ? nothing : html`: “${hold.reason}”`}.
      </p>`;

function waitingList(
  { due, deferred }: Awaited<ReturnType<InvitationBoard['waiting']>>,
  at: { readonly companyId: number; readonly times: TimeOptions },
): Html {
  const list = (rows: typeof due, word: string): Html => {
    const shown = rows.slice(0, pageRows);
    const count = `${rows.length > pageRows ? 'More than ' : ''}${counted(shown.length, 'invitation')}`;
    return invitationTable({ caption: `${count} ${word}`, ended: undefined }, shown, at);
  };
  return html`${due.length === 0 ? empty('No invitation is due now.') : list(due, 'due')}
  ${deferred.length === 0 ? nothing : list(deferred, 'deferred: tried again later')}`;
}

async function endedList(ask: ListAsk, company: KnownCompany): Promise<Html> {
  const { companyId } = company;
  const times = timesOf(company, ask);
  const ending = shownOf(ask) === 'sent' ? 'sent' : 'failed';
  const { day, after } = ask.query;
  const date = day === 'today' ? dayOf(ask.now, times.timeZone) : day;
  const range = date
    ? { from: startOfDay(date, times.timeZone), to: startOfNextDay(date, times.timeZone) }
    : {};
  if (Number.isNaN(range.from)) throw invalidRequest(['Write the day as 2026-11-25']);
  const query = { companyId, ending, now: ask.now, limit: pageRows, before: after, ...range } as const;
  const { rows, next } = await endedInvitations(ask.kit.readModels, query);
  countRead(ask, { companyId, what: 'invitations', rows: rows.length });
  const word = capitalized(ending);
  const none = after === undefined ? `No invitation ${ending}${date ? ' that day' : ''}.` : pastEnd;
  const head = { caption: `${word}, the newest first`, ended: word };
  return html`${rows.length === 0 ? empty(none) : invitationTable(head, rows, { companyId, times })}
  ${pager({ url: ask.url, next, isFirst: after === undefined })}`;
}

function holdForm(ask: Ask, { companyId, hold, settings }: KnownCompany, sent?: Sent): Html {
  if (ask.operator.role !== 'Operator') return nothing;
  const isHeld = hold !== undefined;
  const form = foldedForm({
    name: isHeld ? 'Release the invitations' : 'Hold the invitations',
    explained: isHeld
      ? 'What is due is sent at once. An e-mail that is sent cannot be taken back.'
      : 'Nothing is sent until somebody releases them. What is due stays due.',
    path: `${pathOfCompany(companyId)}/invitations/${isHeld ? 'release' : 'hold'}`,
    token: ask.token(),
    button: isHeld
      ? `Send the invitations of ${settings.name} again`
      : `Hold all invitations of ${settings.name}`,
    isDestructive: !isHeld,
    sent,
  });
  return html`<div class="actions">${form}</div>`;
}

async function holdOrRelease(ask: ActionAsk, held: boolean): Promise<Acted | Page> {
  const company = await companyOf(ask);
  const { companyId } = company;
  const { reason, problems } = actionInput(ask.form);
  const doneMeanwhile = [{ field: 'main', text: 'Somebody has done this meanwhile' }];
  const again = (found: Sent['problems']): Promise<Page> => {
    const sent = { action: held ? 'hold' : 'release', problems: found, values: ask.form };
    return companyPage({ ...ask, query: {} }, company, sent);
  };
  if (held === (company.hold !== undefined)) return again(doneMeanwhile);
  if (problems.length > 0) return again(problems);
  const outcome = await holdInvitations(decisionsOf(ask), contextOf(ask, companyId, reason), {
    companyId,
    held,
    reason,
  });
  if (outcome.kind === 'refused' || !outcome.changed) return again(doneMeanwhile);
  await untilShown(ask, outcome.position);
  return {
    location: `${path}?company=${companyId}`,
    done: held
      ? 'The invitations are held. To take that back, release them here.'
      : 'The invitations are released, and go out as they are due. To stop those not sent yet, hold them again.',
  };
}
