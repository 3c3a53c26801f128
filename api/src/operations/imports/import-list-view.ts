import { type ImportPage, type ListedImport, importStates, maxLooked } from '@rollcall/application';
import { type Field, filterForm, type FormProblem } from '../frame/forms.js';
import { current, html, nothing, type Html } from '../frame/html.js';
import { time } from '../frame/moments.js';
import { numberText } from '../frame/numbers.js';
import { type Column, empty, pager, table } from '../frame/table.js';
import type { QueryTexts } from './import-filter.js';
import { kindWord, outcomeText, stateOf, stateWord } from './import-words.js';

const importsPath = '/operations/imports';
export const pathOfImport = ({ operationId }: Pick<ListedImport, 'operationId'>): string =>
  `${importsPath}/${operationId}`;

export interface Zones {
  readonly now: number;
  /** Of a company, else UTC. */
  readonly zoneOf: (companyId: number) => string;
  readonly nameOf: (companyId: number) => string;
}

interface ImportListView extends Zones {
  readonly page: ImportPage;
  readonly texts: QueryTexts;
  readonly timeZone: string;
  readonly today: string;
  readonly url: string;
  readonly problems: readonly FormProblem[];
  /** To choose from, with their names; empty where the operator has one. */
  readonly companies: NonNullable<Field['choices']>;
}

const presets: readonly (readonly [name: string, query: string])[] = [
  ['All', ''],
  ['Held', '?state=held'],
  ['Failed today', '?state=failed&from=today'],
  ['Failed', '?state=failed'],
  ['Waiting or running', '?state=waiting'],
  ['Refused today', '?state=refused&from=today'],
];

export const importListView = (view: ImportListView): Html =>
  html`${presetLinks(view.url)} ${searchForm} ${filters(view)} ${view.problems.length === 0 && rows(view)}`;

const presetLinks = (url: string): Html =>
  html`<nav class="presets" aria-label="Lists that are looked at daily">
    <ul>
      ${presets.map(([name, query]) => {
        const path = `${importsPath}${query}`;
        return html`<li><a href="${path}" ${current(path === url)}>${name}</a></li>`;
      })}
    </ul>
  </nav>`;

export const searchForm = html`<form class="search" method="get" action="/operations/search" role="search">
  <label for="q">Find an import or a person</label>
  <input
    id="q"
    name="q"
    type="search"
    maxlength="200"
    placeholder="Operation id, e-mail, name or EmployeeID"
    autocomplete="off"
  />
  <button>Find</button>
</form>`;

/** More companies are no list to choose from. */
const mostChoices = 100;

function filters({ texts, timeZone, today, companies, problems }: ImportListView): Html {
  const company: Field = {
    name: 'company',
    label: 'Company',
    value: texts['company'] ?? '',
    ...(companies.length > mostChoices
      ? { hint: 'Its id', type: 'number' }
      : { choices: [['', 'All companies'], ...companies] }),
  };
  const day = { type: 'date', hint: `A day in ${timeZone}` } as const;
  const fields: readonly Field[] = [
    ...(companies.length > 0 ? [company] : []),
    {
      name: 'state',
      label: 'State',
      value: texts['state'] ?? '',
      choices: [['', 'Every state'], ...importStates.map((state) => [state, stateWord(state)] as const)],
    },
    { name: 'user', label: 'User', value: texts['user'], hint: 'Name or number' },
    { ...day, name: 'from', label: 'From', value: texts['from'] === 'today' ? today : texts['from'] },
    { ...day, name: 'to', label: 'To', value: texts['to'] },
  ];
  return html`<details class="filters" ${isFiltered(texts) ? html`open` : nothing}>
    <summary>Filter</summary>
    ${filterForm(
      importsPath,
      fields.map((one) => ({ ...one, problems })),
    )}
  </details>`;
}

const filterNames = ['company', 'state', 'user', 'from', 'to'] as const;
const isFiltered = (texts: QueryTexts): boolean => filterNames.some((name) => (texts[name] ?? '') !== '');

function rows(view: ImportListView): Html {
  const { page, texts, url, companies } = view;
  const isFirst = (texts['after'] ?? '') === '';
  const isOfAll = companies.length > 0 && (texts['company'] ?? '') === '';
  const stopped =
    page.stoppedAt === undefined
      ? nothing
      : html`<p class="notice">
          Looked at the ${numberText(maxLooked)} newest imports of this range. Older ones may match too.
        </p>`;
  const list =
    page.imports.length === 0 ? noImports(texts, isFirst) : importTable(page.imports, view, isOfAll);
  return html`${list} ${stopped} ${pager({ url, next: page.next, isFirst })}`;
}

function noImports(texts: QueryTexts, isFirst: boolean): Html {
  if (!isFirst) return empty('No older imports.');
  if (isFiltered(texts)) return empty(html`No import matches. <a href="${importsPath}">Show all imports</a>`);
  return empty(
    html`No imports yet. A system sends one with <code>PUT /v1.0/Company/{id}/Employee</code> (see
      <a href="/docs">the API</a>), or upload a CSV on a <a href="/operations/companies">company's page</a>.`,
  );
}

export function importTable(imports: readonly ListedImport[], zones: Zones, isOfAll: boolean): Html {
  const company: Column<ListedImport> = { name: 'Company', show: ({ companyId }) => zones.nameOf(companyId) };
  return table({
    caption: 'Imports, the newest first',
    columns: [
      {
        name: 'Came',
        show: (one) =>
          html`<a href="${pathOfImport(one)}"
            >${time(one.CreatedOn, { now: zones.now, timeZone: zones.zoneOf(one.companyId) })}</a
          >`,
      },
      ...(isOfAll ? [company] : []),
      { name: 'State', show: stateOf },
      { name: 'What became of it', show: outcomeText },
      { name: 'List', show: kindWord },
      { name: 'By', show: ({ Username }) => Username },
    ],
    rows: imports,
  });
}
