import {
  knownCompanies,
  type KnownCompany,
  type ListedImport,
  type NamedList,
  onlyOwn,
  previewUndo,
  undoesNothing,
  spacedWords,
  type UndoDeps,
  undoImport,
  type UndoPreview,
  type UndoRejection,
} from '@rollcall/application';
import { type ImportKind, NoQuery } from '@rollcall/contracts';
import { passedBatchLimit } from '@rollcall/domain';
import { findRows } from '@rollcall/host';
import { type ActionAsk, type Ask, contextOf, countRead } from '../frame/ask.js';
import { actionForm, type ActionForm, actionInput, type Sent } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { capitalized, counted, numberText } from '../frame/numbers.js';
import { mayNotAct, type Acted, type PageApp } from '../frame/page-app.js';
import { facts } from '../frame/table.js';
import { numberIn } from '../imports/import-filter.js';
import { pathOfImport } from '../imports/import-list-view.js';
import { pathOfEmployee } from '../companies/company-view.js';
import { actionText } from '../imports/over-limit.js';
import { decisionsOf, untilShown } from './import-actions.js';

export function undoRoutes(page: PageApp, importIn: (ask: Ask) => Promise<ListedImport>): void {
  page.view('/imports/:operationId/undo', NoQuery, async (ask) => {
    if (ask.operator.role !== 'Operator') throw mayNotAct();
    return undoPage(ask, await importIn(ask));
  });
  page.action('/imports/:operationId/undo', async (ask) => undoIt(ask, await importIn(ask)));
}

function depsOf(ask: Ask): UndoDeps {
  const { log, readModels, clock, temporaryFolder } = ask.kit;
  const own = onlyOwn(readModels, { log, clock });
  return { ...decisionsOf(ask), readModels: own, findRows: findRows(own), temporaryFolder };
}

/** What the undo would do, before it does anything. Where later imports touched some of it, what is left to restore. */
async function undoPage(ask: Ask, one: ListedImport, sent?: Omit<Sent, 'action'>): Promise<Page> {
  const { companyId, operationId } = one;
  const shown = await previewUndo(depsOf(ask), { companyId, operationId, force: true });
  const [company] = await knownCompanies(ask.kit.readModels, companyId);
  const body =
    shown.kind === 'refused'
      ? html`<p class="notice">${refusals[shown.rejection.reason]}</p>`
      : previewOf(ask, one, shown, { typed: typedOf(ask, company, shown), ...sent });
  return {
    title: 'Take this import back',
    section: 'imports',
    problems: sent?.problems ?? [],
    body: html`<p class="crumb"><a href="${pathOfImport(one)}">Back to the import</a></p>
      ${body}`,
  };
}

/** Who leaves, where that is more than the batch limit: the number is typed by hand. */
function typedOf(
  { now }: Ask,
  company: KnownCompany | undefined,
  { importKind, counts: { removed } }: UndoPreview,
): number | undefined {
  if (importKind === 'managers' || company === undefined) return undefined;
  const size = { present: company.employees, inserted: 0, removed };
  return passedBatchLimit(size, company.settings, now) === undefined ? undefined : removed;
}

function previewOf(
  ask: Ask,
  one: ListedImport,
  shown: UndoPreview,
  form: Pick<ActionForm, 'problems' | 'typed' | 'values'>,
): Html {
  const { importKind, counts, changes, returning, changed, removed, later, sent, revision } = shown;
  const texts = listTexts[importKind];
  if (undoesNothing(shown))
    return html`<p class="notice">Nothing is left to take back: it is as before, or was changed later.</p>`;
  const lists = [removed, changed, returning, later, sent];
  const rows = lists.reduce((sum, { named }) => sum + Math.min(named.length, maxNamed), 0);
  countRead(ask, { companyId: one.companyId, what: 'preview of an undo', rows });
  const list = (name: string, given: NamedList): Html => namedList(name, given, one.companyId);
  return html`<p class="lead">This is what it would do. Nothing is done yet.</p>
    ${facts(Object.entries(changes).map(([name, count]) => [capitalized(spacedWords(name)), numberText(count)]))}
    ${list(texts.removed, removed)} ${list(texts.changed, changed)} ${list(texts.returning, returning)}
    ${list('A later import has changed them, and they are left alone', later)}
    ${list('They leave, but their invitations cannot be taken back', sent)}
    ${actionForm({
      path: `${pathOfImport(one)}/undo`,
      token: ask.token(),
      button: buttonOf(shown),
      isDestructive: counts.removed > 0,
      ...form,
      hidden: { revision: `${revision ?? ''}`, force: String(later.count > 0), most: `${form.typed ?? ''}` },
    })}`;
}

const listTexts = {
  employees: {
    removed: 'They leave',
    changed: 'They are changed back',
    returning: 'They come back under their old numbers, and are not invited',
  },
  managers: {
    removed: 'Roles that are disabled',
    changed: 'Users who are locked',
    returning: 'Roles that are enabled again',
  },
} satisfies Readonly<Record<ImportKind, Readonly<Record<string, string>>>>;

function buttonOf({ importKind, counts: { inserted, updated, removed } }: UndoPreview): string {
  if (importKind === 'managers') return 'Take the managers of this import back';
  const text = actionText([
    [removed, `remove ${counted(removed, 'employee')}`],
    [inserted, `bring ${numberText(inserted)} back`],
    [updated, `change ${numberText(updated)} back`],
  ]);
  return text || 'Take it back';
}

const maxNamed = 50;

function namedList(name: string, { count, named }: NamedList, companyId: number): Html {
  if (count === 0) return nothing;
  const shown = named.slice(0, maxNamed);
  const more = count - shown.length;
  return html`<h2>${name}: ${numberText(count)}</h2>
    <ul>
      ${shown.map(({ id, name: own }) => {
        const number = Number(id);
        const text = own ?? `Number ${id}`;
        return Number.isInteger(number)
          ? html`<li><a href="${pathOfEmployee(companyId, number)}">${text}</a></li>`
          : html`<li>${text}</li>`;
      })}
      ${more > 0 ? html`<li>and ${numberText(more)} more</li>` : nothing}
    </ul>`;
}

async function undoIt(ask: ActionAsk, one: ListedImport): Promise<Acted | Page> {
  const { companyId, operationId } = one;
  const { reason, problems } = actionInput(ask.form, numberIn(ask.form['most']));
  if (problems.length > 0) return undoPage(ask, one, { problems, values: ask.form });
  const { revision = '', force } = ask.form;
  const shown = revision === '' ? null : Number(revision);
  const command = { companyId, operationId, force: force === 'true', revision: shown };
  const outcome = await undoImport(depsOf(ask), contextOf(ask, companyId, reason), command);
  if (outcome.kind === 'refused') {
    const text = refusals[outcome.rejection.reason];
    return undoPage(ask, one, { problems: [{ field: 'main', text }], values: ask.form });
  }
  await untilShown(ask, outcome.position);
  return {
    location: pathOfImport(outcome),
    done: 'The import is taken back by this one. To have it again after all, take this one back.',
  };
}

const refusals: Readonly<Record<UndoRejection['reason'], string>> = {
  unknown: 'It was refused when it came: there is nothing to take back.',
  pending: 'It has not run yet: cancel it instead.',
  failed: 'It has failed and changed nothing: there is nothing to take back.',
  cancelled: 'It was cancelled and changed nothing: there is nothing to take back.',
  rejected: 'It was rejected and changed nothing: there is nothing to take back.',
  'changed-nothing': 'It changed nothing: there is nothing to take back.',
  'imports-pending':
    'An import of this company waits: let it end, cancel it, or approve or reject a held one.',
  'set-changed': 'The company was changed since this page was shown. This is the new preview.',
  'changed-later': 'A later import has changed some of it meanwhile. This is the new preview.',
};
