import type { DifferencePart, ListedImport, ManagerPart } from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';
import { html, nothing, type Html } from '../frame/html.js';
import { numberText } from '../frame/numbers.js';
import { table } from '../frame/table.js';
import { pathOfImport } from './import-list-view.js';

const partWords: Readonly<Record<'employees', Readonly<Record<DifferencePart, string>>>> &
  Readonly<Record<'managers', Readonly<Record<ManagerPart, string>>>> = {
  employees: {
    added: 'Added',
    changed: 'Updated',
    renamed: 'Renamed',
    removed: 'Removed',
    restored: 'Restored',
  },
  managers: {
    locked: 'Users locked',
    unlocked: 'Users unlocked',
    created: 'Users created',
    renamed: 'Users renamed',
    departments: 'Departments created',
    enabled: 'Roles enabled',
    changed: 'Roles changed',
    disabled: 'Roles disabled',
    parents: 'Parents changed',
  },
};

export const valueText = (value: PreviewRow['Fields'][string]['Old']): string =>
  value === null ? '–' : String(value);

const isWhole = (fields: PreviewRow['Fields']): boolean =>
  Object.values(fields).every(({ Old, New }) => (Old === null) !== (New === null));

/** Old and new value of each field. */
export const fieldList = (fields: PreviewRow['Fields']): Html =>
  html`<ul class="fields ${isWhole(fields) ? 'inline' : ''}">
    ${Object.entries(fields).map(
      ([name, { Old, New }]) =>
        html`<li>
          <b>${name}</b>
          ${Old === null || Old === New ? nothing : html`<del><span class="sr">was </span>${valueText(Old)}</del>`}
          ${New === null || Old === New ? nothing : html`<ins><span class="sr">now </span>${valueText(New)}</ins>`}
          ${Old === New ? valueText(New) : nothing}
        </li>`,
    )}
  </ul>`;

export const differenceLink = (one: Pick<ListedImport, 'operationId'>): Html =>
  html`<a href="${pathOfImport(one)}/difference.csv" download>Difference as CSV</a>`;

const isOfManagers = ({ Email }: PreviewRow): boolean => Email !== undefined;

/** `hrefOf`: the page of an employee. A manager has none. */
export const rowsOfDifference = (
  caption: string,
  rows: readonly PreviewRow[],
  hrefOf: (number: number) => string,
): Html =>
  table<PreviewRow>({
    caption,
    columns: [
      {
        name: rows.some(isOfManagers) ? 'User or department' : 'EmployeeID',
        show: ({ Id, EmployeeID, Email, Fields }) =>
          Id === null || Email !== undefined
            ? (EmployeeID ?? Email ?? valueText(Fields['DepartmentName']?.New ?? null))
            : html`<a href="${hrefOf(Id)}">${EmployeeID ?? `Number ${Id}`}</a>`,
      },
      { name: 'Fields', show: ({ Fields }) => fieldList(Fields) },
    ],
    rows,
  });

export interface DifferenceView {
  readonly kind: ListedImport['kind'];
  readonly counts: Readonly<Record<string, number>>;
  readonly rows: readonly PreviewRow[];
  /** Of old values that were not found in time. */
  readonly remark: string | undefined;
  readonly part: string;
  readonly skip: number;
  readonly limit: number;
  readonly path: string;
  readonly hrefOf: (number: number) => string;
}

export function differenceView(view: DifferenceView): Html {
  const { counts, rows, remark, part, skip, limit, path, hrefOf } = view;
  const words: Readonly<Record<string, string>> = partWords[view.kind];
  const [count = 0, word = part] = [counts[part], words[part]];
  const href = (other: string, from = 0): string =>
    `${path}?part=${other}${from === 0 ? '' : `&skip=${from}`}`;
  const shown = `${word}: ${numberText(skip + 1)} to ${numberText(skip + rows.length)} of ${numberText(count)}`;
  return html`<nav class="presets" aria-label="Kinds of change">
      <ul>
        ${Object.entries(words).map(([each, name]) => {
          const text = `${name} ${numberText(counts[each] ?? 0)}`;
          return each === part
            ? html`<li><a href="${href(each)}" aria-current="page">${text}</a></li>`
            : html`<li><a href="${href(each)}">${text}</a></li>`;
        })}
      </ul>
    </nav>
    ${remark === undefined ? nothing : html`<p class="notice">${remark}</p>`}
    ${
      rows.length === 0
        ? html`<p class="empty">${word}: none in this import.</p>`
        : rowsOfDifference(shown, rows, hrefOf)
    }
    <nav class="pager" aria-label="Pages">
      ${skip === 0 ? nothing : html`<a href="${href(part, Math.max(0, skip - limit))}" rel="prev">Before</a>`}
      ${skip + limit >= count ? nothing : html`<a href="${href(part, skip + limit)}" rel="next">More</a>`}
    </nav>`;
}
