import {
  cancelQueuedImport,
  type ImportLife,
  type ListedImport,
  type Position,
  retryQueuedImport,
} from '@rollcall/application';
import type { RetryRejection } from '@rollcall/domain';
import { type ActionAsk, type Ask, contextOf } from '../frame/ask.js';
import { actionInput, type FoldedForm, foldedForm, type Sent } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import type { Acted, PageApp } from '../frame/page-app.js';
import { numberIn } from '../imports/import-filter.js';
import { pathOfImport } from '../imports/import-list-view.js';

const shownMs = 2_000;

/** What was done is on the page that follows, where that takes no longer than this. */
export const untilShown = async ({ kit }: Ask, position: Position | undefined): Promise<void> => {
  if (position !== undefined) await kit.readModels.reachedPosition(position, shownMs);
};

export const decisionsOf = ({ kit, company }: Ask) => ({ ...kit, ...company });

interface Offered extends Omit<FoldedForm, 'path' | 'token' | 'sent'> {
  readonly action: string;
}

const cancel: Offered = {
  action: 'cancel',
  name: 'Cancel this import',
  button: 'Cancel this import',
  explained:
    'It is taken out of the queue and changes nothing. Imports behind it go on. It can be tried again later.',
  isDestructive: true,
};

const retry: Offered = {
  action: 'retry',
  name: 'Try this import again',
  button: 'Queue this import again',
  explained: 'Its body is queued as a new import, behind those that wait.',
};

const open: readonly ListedImport['state'][] = ['waiting', 'running'];
const changing = ['EmployeeSetReplaced', 'ManagerRolesImported'];
const ended: readonly ListedImport['state'][] = ['failed', 'cancelled', 'rejected'];

const inActions = (form: Html): Html => html`<div class="actions">${form}</div>`;

/** The form of what may be done with it, or why not. */
export function importActions(ask: Ask, one: ListedImport, life: ImportLife, sent?: Sent): Html {
  if (ask.operator.role !== 'Operator') return nothing;
  if (life.undoneBy === undefined && life.events.some(({ type }) => changing.includes(type)))
    return html`<p><a class="button" href="${pathOfImport(one)}/undo">Take this import back</a></p>`;
  if (open.includes(one.state)) return inActions(offer(ask, one, cancel, sent));
  return ended.includes(one.state) ? inActions(retryOffer(ask, one, life, sent)) : nothing;
}

function retryOffer(ask: Ask, one: ListedImport, life: ImportLife, sent: Sent | undefined): Html {
  if (life.hasBody) return offer(ask, one, retry, sent);
  return html`<p class="notice">
    It cannot be tried again: its body is not kept. Have the caller send it again.
  </p>`;
}

export const offer = (ask: Ask, one: ListedImport, offered: Offered, sent: Sent | undefined): Html =>
  foldedForm({ ...offered, path: `${pathOfImport(one)}/${offered.action}`, token: ask.token(), sent });

type Act = (ask: ActionAsk, one: ListedImport, reason: string) => Promise<Acted | string>;

interface ImportActionViews {
  readonly importIn: (ask: Ask) => Promise<ListedImport>;
  readonly pageOf: (ask: Ask, sent: Sent) => Promise<Page>;
  readonly decide: (decision: 'approve' | 'reject') => Act;
}

export function importActionRoutes(page: PageApp, views: ImportActionViews): void {
  const route = (action: string, act: Act) =>
    page.action(`/imports/:operationId/${action}`, async (ask) => {
      const one = await views.importIn(ask);
      const { reason, problems } = actionInput(ask.form, numberIn(ask.form['most']));
      if (problems.length > 0) return views.pageOf(ask, { action, problems, values: ask.form });
      const acted = await act(ask, one, reason);
      if (typeof acted !== 'string') return acted;
      return views.pageOf(ask, { action, problems: [{ field: 'main', text: acted }], values: ask.form });
    });
  route('cancel', cancelIt);
  route('retry', retryIt);
  route('approve', views.decide('approve'));
  route('reject', views.decide('reject'));
}

async function cancelIt(ask: ActionAsk, one: ListedImport, reason: string): Promise<Acted | string> {
  const context = contextOf(ask, one.companyId, reason);
  const outcome = await cancelQueuedImport(decisionsOf(ask), context, one);
  if (outcome.kind === 'refused') return 'It has ended meanwhile, and cannot be cancelled any more';
  await untilShown(ask, outcome.position);
  return { location: pathOfImport(one), done: 'This import is cancelled. To take that back, try it again.' };
}

async function retryIt(ask: ActionAsk, one: ListedImport, reason: string): Promise<Acted | string> {
  const context = contextOf(ask, one.companyId, reason);
  const { companyId, operationId } = one;
  const command = { companyId, operationId, force: false };
  const outcome = await retryQueuedImport(decisionsOf(ask), context, command);
  if (outcome.kind === 'refused') return retryRefusals[outcome.rejection.reason];
  await untilShown(ask, outcome.position);
  return {
    location: pathOfImport(outcome),
    done: 'The import is queued again. This is the new one: it can be cancelled while it waits.',
  };
}

const retryRefusals: Readonly<Record<RetryRejection['reason'] | 'never-queued', string>> = {
  'never-queued': 'It was never queued: have the caller send it again',
  'not-ended-badly': 'Only an import that failed, was cancelled or rejected can be tried again',
  'payload-gone': 'Its body is gone: have the caller send it again',
  'integration-not-allowed':
    'The company may not import: switch that on with “rollcall company configure” first',
  'newer-accepted': 'A newer list was accepted since: this one would put older employees in its place',
  'set-changed': 'It was for one set of employees, and that has changed since: have the caller send it again',
};
