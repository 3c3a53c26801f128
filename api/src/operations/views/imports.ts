import {
  dayOf,
  differenceParts,
  findImport,
  importLife,
  type ImportLife,
  invitedBy,
  knownCompanies,
  type KnownCompany,
  listImports,
  managerParts,
  type ListedImport,
} from '@rollcall/application';
import { NoQuery } from '@rollcall/contracts';
import { Type, type Static } from 'typebox';
import { HttpError } from '../../http/errors.js';
import { problemEntry } from '../../http/render-error.js';
import { differenceCsv, cell } from '../../imports/preview-answers.js';
import { type Ask, companyIn, countRead, sees } from '../frame/ask.js';
import { html } from '../frame/html.js';
import { momentText } from '../frame/moments.js';
import type { CsvFile, PageApp } from '../frame/page-app.js';
import type { Sent } from '../frame/forms.js';
import type { Page } from '../frame/layout.js';
import { importActionRoutes, importActions } from './import-actions.js';
import { decide, heldView } from './held.js';
import { zoneOf } from './start.js';
import { undoRoutes } from './undo.js';
import { differenceLink, differenceView, readDifference, readWhole } from '../imports/difference-view.js';
import { numberIn, readFilter } from '../imports/import-filter.js';
import { importListView, pathOfImport, type Zones } from '../imports/import-list-view.js';
import { progressOf } from '../imports/import-words.js';
import { importView } from '../imports/import-view.js';

/** RFC 4180. */
const csvOf = (columns: readonly string[], rows: readonly (readonly (string | null)[])[]): string =>
  `${[columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;

const pageRows = 50;

const text = Type.Optional(Type.String({ maxLength: 200 }));
const ListQuery = Type.Object({ company: text, state: text, user: text, from: text, to: text, after: text });
const DifferenceQuery = Type.Object({
  part: Type.Optional(Type.Enum([...new Set([...differenceParts, ...managerParts])], { type: 'string' })),
  first: Type.Optional(Type.Enum([...differenceParts], { type: 'string' })),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
});

export function importViews(page: PageApp): void {
  page.view('/imports', ListQuery, listPage);
  page.view('/imports/:operationId', NoQuery, (ask) => importPage(ask));
  page.view('/imports/:operationId/difference', DifferenceQuery, differencePage);
  page.download('/imports/:operationId/difference.csv', differenceFile);
  page.download('/imports/:operationId/problems.csv', problemsFile);
  page.progress('/imports/:operationId/progress', async (ask) => progressOf(await importIn(ask)));
  importActionRoutes(page, { importIn, pageOf: importPage, decide });
  undoRoutes(page, importIn);
}

function zonesOf(companies: readonly KnownCompany[], now: number): Zones {
  const known = new Map(companies.map((one) => [one.companyId, one.settings]));
  return {
    now,
    zoneOf: (companyId) => known.get(companyId)?.timeZone ?? 'UTC',
    nameOf: (companyId) => known.get(companyId)?.name ?? `Company ${companyId}`,
  };
}

async function listPage(ask: Ask<Static<typeof ListQuery>>): Promise<Page> {
  const { kit, operator, now, query: texts, url } = ask;
  const companyId = operator.companyId ?? undefined;
  if (companyId !== undefined && texts.company) companyIn(ask, texts.company);
  const known = await knownCompanies(kit.readModels, companyId);
  const zones = zonesOf(known, now);
  const own = companyId ?? numberIn(texts.company?.trim());
  const timeZone = own === undefined ? zoneOf(known) : zones.zoneOf(own);
  const choices = known.map(({ companyId: id, settings }) => [`${id}`, `${settings.name} (${id})`] as const);
  const scope = { companyId, ids: choices.map(([id]) => id), timeZone, today: dayOf(now, timeZone) };
  const { query, problems } = readFilter(texts, scope, pageRows);
  const page = await listImports(kit.readModels, query);
  const companies = companyId === undefined ? choices : [];
  const body = importListView({ ...zones, ...scope, page, texts, url, problems, companies });
  return { title: 'Imports', section: 'imports', problems, body };
}

/** A 404 for one of another operator's company, as for none. */
async function importIn(ask: Ask): Promise<ListedImport> {
  const operationId = (ask.params['operationId'] ?? '').toLowerCase();
  const { companyId } = ask.operator;
  const one = await findImport(ask.kit.readModels, operationId, companyId ?? undefined);
  if (one === undefined || !sees(ask, one.companyId)) throw new HttpError('not-found');
  return one;
}

async function shown(ask: Ask) {
  const one = await importIn(ask);
  const [company] = await knownCompanies(ask.kit.readModels, one.companyId);
  const name = company?.settings.name ?? `Company ${one.companyId}`;
  const times = { timeZone: company?.settings.timeZone ?? 'UTC', now: ask.now };
  const title = `Import of ${momentText(Date.parse(one.CreatedOn), times.timeZone)}, ${name}`;
  return { one, name, times, title };
}

async function importPage(ask: Ask, sent?: Sent): Promise<Page> {
  const { one, name: company, times, title } = await shown(ask);
  const life = await importLife(ask.kit, one);
  const { companyId, ValidationErrors } = one;
  if (ValidationErrors.length > 0)
    countRead(ask, { companyId, what: 'problems of an import', rows: ValidationErrors.length });
  const view = {
    one,
    company,
    life,
    invited: await invitedOf(ask, one, life),
    times,
    origin: ask.origin,
    actions: importActions(ask, one, life, sent),
    held: await heldView(ask, { one, life, times }, sent),
  };
  const problems = sent?.problems ?? [];
  return { title, section: 'imports', problems, body: importView(view) };
}

/** The new ones have the last numbers. */
function invitedOf({ kit, now }: Ask, one: ListedImport, { events }: ImportLife) {
  const set = events.find(({ type }) => type === 'EmployeeSetReplaced')?.facts;
  if (set === undefined || one.Inserted === 0) return undefined;
  const first = Number(set['lastNumber']) - Number(set['inserted']) + 1;
  return invitedBy(kit.readModels, { ...one, first, now });
}

async function differencePage(ask: Ask<Static<typeof DifferenceQuery>>): Promise<Page> {
  const { one, title } = await shown(ask);
  const { companyId, kind } = one;
  const asked = { skip: 0, ...ask.query, limit: pageRows };
  const page = one.state === 'done' ? await readDifference(ask.kit, one, asked) : undefined;
  if (page === undefined) throw new HttpError('not-found');
  countRead(ask, { companyId, what: 'difference of an import', rows: page.rows.length });
  const path = `${pathOfImport(one)}/difference`;
  return {
    title: `What changed: ${title}`,
    section: 'imports',
    body: html`<p><a href="${pathOfImport(one)}">Back to the import</a></p>
      ${differenceView({ ...page, ...asked, part: page.part, kind, path, companyId })}
      <p>${differenceLink(one)}</p>`,
  };
}

/** All of it, as a dry run with details has it. */
async function differenceFile(ask: Ask): Promise<CsvFile> {
  const one = await importIn(ask);
  const whole = one.state === 'done' ? await readWhole(ask.kit, one) : undefined;
  if (whole === undefined) throw new HttpError('not-found');
  const { companyId, operationId, kind } = one;
  countRead(ask, { companyId, what: 'difference of an import', rows: whole.count });
  return { name: `difference-${operationId}.csv`, csv: differenceCsv(whole.rows, kind) };
}

/** The texts of `ValidationErrors`, as far as they are kept. */
async function problemsFile(ask: Ask): Promise<CsvFile> {
  const { companyId, operationId, ValidationErrors } = await importIn(ask);
  countRead(ask, { companyId, what: 'problems of an import', rows: ValidationErrors.length });
  const rows = ValidationErrors.map(problemEntry).map(({ pointer, code, employeeId, detail }) => [
    elementOf(pointer),
    employeeId ?? null,
    code,
    detail,
  ]);
  return {
    name: `problems-${operationId}.csv`,
    csv: [csvOf(['Element', 'EmployeeID', 'Code', 'Problem'], rows)],
  };
}

/** From 0, as the API counts them. */
const elementOf = (pointer: string | undefined): string =>
  /^\/(?<at>\d+)/.exec(pointer ?? '')?.groups?.['at'] ?? '';
