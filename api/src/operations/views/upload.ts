import { type ImportOutcome, type KnownCompany, problemInFile } from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import { pathOfCompany } from '../companies/company-view.js';
import { type ActionAsk, type Ask, countRead } from '../frame/ask.js';
import { actionInput, type FormProblem } from '../frame/forms.js';
import { html, type Html } from '../frame/html.js';
import type { Page } from '../frame/layout.js';
import { type Acted, mayNotAct, type PageApp } from '../frame/page-app.js';
import { numberIn } from '../imports/import-filter.js';
import { pathOfImport } from '../imports/import-list-view.js';
import { type Body, maxUploadBytes, readUploaded, requestOf, type Uploaded } from '../uploads/uploaded.js';
import { columnsForm, previewView, refusedView, unknownColumns, uploadForm } from '../uploads/upload-view.js';
import { shownOf } from '../uploads/shown-rows.js';
import { companyOf } from './companies.js';

const pathOf = (companyId: number): string => `${pathOfCompany(companyId)}/upload`;

export function uploadRoutes(page: PageApp): void {
  const limits = { bodyLimit: maxUploadBytes };
  page.view('/companies/:companyId/upload', NoQuery, async (ask) => {
    if (ask.operator.role !== 'Operator') throw mayNotAct();
    return beginPage(ask, await companyOf(ask), []);
  });
  page.action('/companies/:companyId/upload', (ask) => withMemory(ask, () => show(ask)), {
    ...limits,
    carriesOut: () => false,
  });
  page.action('/companies/:companyId/upload/apply', (ask) => withMemory(ask, () => apply(ask)), {
    ...limits,
    carriesOut: (ask) => inputOf(ask).problems.length === 0,
  });
}

const inputOf = ({ form }: ActionAsk) => actionInput(form, numberIn(form['most']));

function withMemory<T>({ kit, form }: ActionAsk, work: () => Promise<T>): Promise<T> {
  const bytes = 8 * ((form['file'] ?? '').length + (form['text'] ?? '').length);
  return kit.bodies.during(bytes, work);
}

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
  const form = uploadForm(pathOf(company.companyId), ask.token(), problems, ask.form);
  return pageOf(company, 'Upload a list to', form, problems);
}

async function show(ask: ActionAsk): Promise<Page> {
  const company = await companyOf(ask);
  const read = await readUploaded(ask);
  switch (read.kind) {
    case 'no-file':
      return beginPage(ask, company, [{ field: 'file', text: read.text }]);
    case 'bad': {
      const unknown = unknownColumns(read.uploaded);
      const problems =
        unknown.length > 0 ? unknown : [{ field: 'main', text: read.problems[0]?.problem ?? '' }];
      const form = columnsForm(pathOf(company.companyId), ask.token(), read.uploaded, read.problems);
      return pageOf(company, 'Correct the list for', form, problems);
    }
    case 'body':
      return preview(ask, company, read, []);
    default:
      return read satisfies never;
  }
}

async function preview(
  ask: ActionAsk,
  company: KnownCompany,
  { uploaded, body }: { readonly uploaded: Uploaded; readonly body: Body },
  problems: readonly FormProblem[],
): Promise<Page> {
  const { companyId } = company;
  const outcome = await ask.kit.imports.accept(
    requestOf(ask, uploaded, body.bytes, { companyId, reason: '' }),
  );
  if (outcome.kind !== 'dry-run') return refused(company, body, outcome);
  const { rows, isPartial } = await shownOf(outcome.rows);
  countRead(ask, { companyId, what: 'preview of a list', rows: rows.length });
  const view = {
    path: pathOf(companyId),
    token: ask.token(),
    companyId,
    uploaded,
    preview: outcome.result,
    isChange: outcome.isChange,
    rows,
    isPartial,
    problems,
    values: ask.form,
  };
  return pageOf(company, 'What the list would do to', previewView(view), problems);
}

function refused(company: KnownCompany, body: Body, outcome: ImportOutcome): Page {
  const texts = outcome.kind === 'refused' ? outcome.errors : [otherwise(outcome)];
  const problems = texts.map((text) => problemInFile(body, text));
  const summary = [
    {
      field: 'main',
      text: problems.length === 1 ? (problems[0]?.problem ?? '') : `The list has ${problems.length} problems`,
    },
  ];
  return pageOf(company, 'Correct the list for', refusedView(pathOf(company.companyId), problems), summary);
}

const otherwise = (outcome: ImportOutcome): string =>
  outcome.kind === 'queue-full'
    ? 'The company has the most imports that may wait: let some end first'
    : 'What you were shown no longer holds: choose the file again';

async function apply(ask: ActionAsk): Promise<Acted | Page> {
  const company = await companyOf(ask);
  const { companyId } = company;
  const read = await readUploaded(ask);
  if (read.kind !== 'body') return show(ask);
  const { reason, problems } = inputOf(ask);
  if (problems.length > 0) return preview(ask, company, read, problems);
  const asked = { companyId, reason, preview: ask.form['preview'] ?? '' };
  const outcome = await ask.kit.imports.accept(requestOf(ask, read.uploaded, read.body.bytes, asked));
  if (outcome.kind === 'done' || outcome.kind === 'queued') return applied(ask, outcome);
  if (outcome.kind !== 'precondition-failed' && outcome.kind !== 'preview-unusable')
    return refused(company, read.body, outcome);
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
