import { type CsvProblem, type ImportOutcome, type KnownCompany, problemInFile } from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import { importsOff, pathOfCompany } from '../companies/company-view.js';
import { type ActionAsk, type Ask, countRead } from '../frame/ask.js';
import { actionInput, type FormProblem } from '../frame/forms.js';
import { html, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { type Acted, mayNotAct, type PageApp } from '../frame/page-app.js';
import { numberIn } from '../imports/import-filter.js';
import { pathOfImport } from '../imports/import-list-view.js';
import {
  maxUploadBytes,
  type ReadList,
  readUploaded,
  requestOf,
  type Uploaded,
} from '../uploads/uploaded.js';
import { previewView, refusedView, unknownColumns, uploadForm } from '../uploads/upload-view.js';
import { namesOf, shownOf } from '../uploads/shown-rows.js';
import { companyOf } from './companies.js';

const pathOf = (companyId: number): string => `${pathOfCompany(companyId)}/upload`;

export function uploadRoutes(page: PageApp): void {
  const limits = { bodyLimit: maxUploadBytes };
  page.view('/companies/:companyId/upload', NoQuery, async (ask) => {
    if (ask.operator.role !== 'Operator') throw mayNotAct();
    return beginPage(ask, await companyOf(ask), []);
  });
  page.action('/companies/:companyId/upload', step(preview), { ...limits, carriesOut: () => false });
  const carriesOut = (ask: ActionAsk): boolean => inputOf(ask).problems.length === 0;
  page.action('/companies/:companyId/upload/apply', step(apply), { ...limits, carriesOut });
}

const inputOf = ({ form }: ActionAsk) => actionInput(form, numberIn(form['most']));

/** Works on a list that can be read. */
const step = (work: typeof apply) => async (ask: ActionAsk) => {
  const company = await companyOf(ask);
  if (!company.settings.integrationEnabled)
    return beginPage(ask, company, [{ field: 'main', text: importsOff }]);
  const { file = '', text = '' } = ask.form;
  return ask.kit.bodies.during(8 * (file.length + text.length), async () => {
    const read = await readUploaded(ask);
    if (read.kind === 'no-file') return beginPage(ask, company, [{ field: 'file', text: read.text }]);
    if (read.kind === 'bad') return refused(ask, company, read.uploaded, read.problems);
    return work(ask, company, read);
  });
};

const pageOf = (
  { companyId, settings }: KnownCompany,
  title: string,
  body: Html,
  problems: readonly FormProblem[],
): Page => ({
  title: `${title} ${settings.name}`,
  section: 'companies',
  problems,
  body: html`<p class="crumb"><a href="${pathOfCompany(companyId)}">${settings.name}</a></p>
    ${body}`,
});

function beginPage(
  ask: Ask & { readonly form?: ActionAsk['form'] },
  company: KnownCompany,
  problems: readonly FormProblem[],
): Page {
  const form = company.settings.integrationEnabled
    ? uploadForm(pathOf(company.companyId), ask.token(), problems, ask.form)
    : html`<p class="notice">${importsOff}.</p>`;
  return pageOf(company, 'Upload a list to', form, problems);
}

async function preview(
  ask: ActionAsk,
  company: KnownCompany,
  { uploaded, bytes, lines }: ReadList,
  problems: readonly FormProblem[] = [],
): Promise<Page> {
  const { companyId } = company;
  const request = requestOf(ask, uploaded, bytes, { companyId, reason: '' });
  // All rows: fields that become empty are counted.
  const outcome = await ask.kit.imports.accept({ ...request, details: Infinity });
  if (outcome.kind !== 'dry-run') return refused(ask, company, uploaded, problemsOf({ lines }, outcome));
  const { rows, ...shown } = await shownOf(outcome.rows);
  countRead(ask, { companyId, what: 'preview of a list', rows: rows.length });
  const view = {
    ...shown,
    path: pathOf(companyId),
    token: ask.token(),
    companyId,
    uploaded,
    rows,
    preview: outcome.result,
    isChange: outcome.isChange,
    names: await namesOf(ask.kit, { kind: uploaded.kind, companyId }, rows),
    problems,
    values: ask.form,
  };
  return pageOf(company, 'What the list would do to', previewView(view), problems);
}

function refused(
  ask: ActionAsk,
  company: KnownCompany,
  uploaded: Uploaded,
  problems: readonly CsvProblem[],
): Page {
  const body = refusedView({ path: pathOf(company.companyId), token: ask.token(), uploaded }, problems);
  const unknown = unknownColumns(uploaded, problems);
  const text = problems.length === 1 ? problems[0]?.problem : `The list has ${problems.length} problems`;
  const summary = unknown.length > 0 ? unknown : [{ field: 'main', text: text ?? '' }];
  return pageOf(company, 'Correct the list for', body, summary);
}

const problemsOf = (list: Pick<ReadList, 'lines'>, outcome: ImportOutcome): readonly CsvProblem[] =>
  (outcome.kind === 'refused' ? outcome.errors : [otherwise(outcome)]).map((text) =>
    problemInFile(list, text),
  );

const otherwise = (outcome: ImportOutcome): string =>
  outcome.kind === 'queue-full'
    ? 'The company has the most imports that may wait: let some end first'
    : 'What you were shown no longer holds: choose the file again';

async function apply(ask: ActionAsk, company: KnownCompany, read: ReadList): Promise<Acted | Page> {
  const { companyId } = company;
  const { reason, problems } = inputOf(ask);
  if (problems.length > 0) return preview(ask, company, read, problems);
  const asked = { companyId, reason, preview: ask.form['preview'] ?? '' };
  const outcome = await ask.kit.imports.accept(requestOf(ask, read.uploaded, read.bytes, asked));
  if (outcome.kind === 'done' || outcome.kind === 'queued') return applied(ask, outcome);
  if (outcome.kind !== 'precondition-failed' && outcome.kind !== 'preview-unusable')
    return refused(ask, company, read.uploaded, problemsOf(read, outcome));
  const text = 'The company has changed since. This is the new preview';
  return preview(ask, company, read, [{ field: 'reason', text }]);
}

type Applied = Extract<ImportOutcome, { readonly kind: 'done' | 'queued' }>;

async function applied({ kit }: ActionAsk, outcome: Applied): Promise<Acted> {
  if (outcome.written !== undefined) await kit.readModelWait.until(outcome.written);
  const done =
    outcome.kind === 'done'
      ? 'The list is applied. To have it as before, take this import back.'
      : 'The list is accepted. What it waits for stands here, and until it runs it can be stopped here.';
  return { location: pathOfImport(outcome), done };
}
