import type { ImportLife, InvitedByImport, ListedImport } from '@rollcall/application';
import { html, nothing, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { counted, numberText } from '../frame/numbers.js';
import { copyButton, facts, id } from '../frame/table.js';
import { differenceLink } from './difference-view.js';
import { kindWord, outcomeText, progressOf, stateOf } from './import-words.js';
import { attemptsText, lifeTable, webhookList } from './life-view.js';
import { pathOfImport } from './import-list-view.js';

export interface ImportView {
  readonly one: ListedImport;
  readonly company: string;
  readonly life: ImportLife;
  readonly invited: InvitedByImport | undefined;
  readonly times: TimeOptions;
  /** Of the API, for `curl`. */
  readonly origin: string;
  readonly actions: Html;
  /** What it would do, where it is held. */
  readonly held: Html;
}

export function importView(view: ImportView): Html {
  const { one, life, times, actions, held } = view;
  const lead = html`${stateOf(one)} ${outcomeText(one)}`;
  return html`${
      progressOf(one).isDone
        ? html`<p class="lead">${lead}</p>`
        : html`<p class="lead" aria-live="polite" data-progress="${pathOfImport(one)}/progress">${lead}</p>`
    }
    ${held} ${actions} ${about(view)} ${changes(view)} ${problems(one)}
    <h2>What happened</h2>
    ${lifeTable('Events of this import', life.events, times)} ${followed(view)}
    ${one.Method.startsWith('PUT ') ? sameCall(view) : nothing}`;
}

function about({ one, company, life, times }: ImportView): Html {
  const { queued } = life;
  return facts([
    ['Company', html`<a href="/operations/companies/${one.companyId}">${company}</a>`],
    ['List', kindWord(one)],
    ['Came', time(one.CreatedOn, times)],
    ['Ended', time(one.CompletedOn, times)],
    ['By', `${one.Username}${one.UserId === null ? '' : ` (user ${one.UserId})`}`],
    ['Attempts', one.state === 'refused' ? undefined : attemptsText(one, life)],
    [
      'Body',
      queued &&
        `${counted(queued.elements, 'element')}, ${numberText(queued.payload.bytes)} bytes, ${life.hasBody ? 'kept' : 'gone'}`,
    ],
    ['Repeats', linkTo(queued?.retryOf)],
    ['Takes back', linkTo(life.events.find(({ by }) => by.undoes)?.by.undoes)],
    ['Taken back by', linkTo(life.undoneBy)],
    ['Operation', html`${id(one.operationId, 'operation')} ${copyButton('operation')}`],
  ]);
}

const linkTo = (operationId: string | null | undefined): Html | undefined =>
  operationId ? html`<a href="${pathOfImport({ operationId })}"><code>${operationId}</code></a>` : undefined;

function changes({ one, life }: ImportView): Html {
  if (one.kind === 'managers' && life.events.some(({ type }) => type === 'ManagerRolesImported'))
    return html`<h2>What it changed</h2>
      <p><a href="${pathOfImport(one)}/difference">Users, departments and roles</a></p>
      <p>${differenceLink(one)}</p>`;
  if (one.state !== 'done' || one.kind !== 'employees') return nothing;
  const { Inserted, Updated, Removed } = one;
  const link = (part: string, count: number, word: string): Html =>
    count === 0
      ? html`<li>0 ${word}</li>`
      : html`<li>
          <a href="${pathOfImport(one)}/difference?first=${part}">${numberText(count)} ${word}</a>
        </li>`;
  return html`<h2>What it changed</h2>
    <ul class="counts">
      ${link('added', Inserted, 'added')} ${link('changed', Updated, 'updated')}
      ${link('removed', Removed, 'removed')}
    </ul>
    ${Inserted + Updated + Removed === 0 ? nothing : html`<p>${differenceLink(one)}</p>`}`;
}

function problems(one: ListedImport): Html {
  if (one.ValidationErrors.length === 0) return nothing;
  return html`<h2>Problems</h2>
    <p><a href="${pathOfImport(one)}/problems.csv" download>Download as CSV</a></p>
    <ol>
      ${one.ValidationErrors.map((text) => html`<li>${text}</li>`)}
    </ol>`;
}

function followed({ life, invited, times, one }: ImportView): Html {
  const mails = invited === undefined || invited.planned === 0 ? nothing : mailsOf(one, invited);
  if (mails === nothing && life.followed.length === 0 && life.webhooks.length === 0) return nothing;
  const others =
    life.followed.length === 0 ? nothing : lifeTable('Other imports that name it', life.followed, times);
  return html`<h2>What followed from it</h2>
    ${mails} ${webhookList(life)} ${others}`;
}

function mailsOf({ companyId }: ListedImport, { planned, counted: looked, states }: InvitedByImport): Html {
  const parts = Object.entries(states).map(([state, count]) => `${numberText(count)} ${state}`);
  const of = looked < planned ? ` of the first ${numberText(looked)}` : '';
  return html`<p>
    <a href="/operations/invitations?company=${companyId}">${counted(planned, 'invitation')}</a>:
    ${parts.join(', ')}${of}.
  </p>`;
}

const sameCall = (view: ImportView): Html =>
  html`<h2>The same call</h2>
    <pre tabindex="0"><code id="curl">${curlOf(view)}</code></pre>
    ${copyButton('curl')}`;

function curlOf({ one, origin, life }: ImportView): string {
  const path = one.Method.replace(/^PUT /, '') + (life.queued?.keepsRenames ? '?Renames=keep' : '');
  const ifMatch = life.queued?.ifMatch ?? null;
  const file = one.kind === 'employees' ? 'employees.json' : 'managers.json';
  return [
    `curl -X PUT '${origin}${path}'`,
    `  -H 'Authorization: Bearer TOKEN'`,
    `  -H 'Content-Type: application/json'`,
    ...(ifMatch === null ? [] : [`  -H 'If-Match: "${ifMatch}"'`]),
    `  --data-binary @${file}`,
  ].join(' \\\n');
}
