import type { DifferencePage, DifferencePart, ListedImport } from '@rollcall/application';
import { differenceParts } from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';
import { html, nothing, type Html } from '../frame/html.js';
import { numberText } from '../frame/numbers.js';
import { table } from '../frame/table.js';
import { pathOfImport } from './import-list-view.js';

export const partWords: Readonly<Record<DifferencePart, string>> = {
  added: 'Added',
  changed: 'Updated',
  renamed: 'Renamed',
  removed: 'Removed',
  restored: 'Restored',
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
          ${Old === null ? nothing : html`<del><span class="sr">was </span>${valueText(Old)}</del>`}
          ${New === null ? nothing : html`<ins><span class="sr">now </span>${valueText(New)}</ins>`}
        </li>`,
    )}
  </ul>`;

export const differenceLink = (one: Pick<ListedImport, 'operationId'>): Html =>
  html`<a href="${pathOfImport(one)}/difference.csv" download>Difference as CSV</a>`;

/** `hrefOf`: the page of an employee. */
export const rowsOfDifference = (
  caption: string,
  rows: readonly PreviewRow[],
  hrefOf: (number: number) => string,
): Html =>
  table<PreviewRow>({
    caption,
    columns: [
      {
        name: 'EmployeeID',
        show: ({ Id, EmployeeID }) =>
          Id === null
            ? (EmployeeID ?? '–')
            : html`<a href="${hrefOf(Id)}">${EmployeeID ?? `Number ${Id}`}</a>`,
      },
      { name: 'Fields', show: ({ Fields }) => fieldList(Fields) },
    ],
    rows,
  });

export interface DifferenceView {
  readonly page: DifferencePage;
  readonly part: DifferencePart;
  readonly skip: number;
  readonly limit: number;
  readonly path: string;
  readonly hrefOf: (number: number) => string;
}

export function differenceView({ page, part, skip, limit, path, hrefOf }: DifferenceView): Html {
  const count = page.counts[part];
  const href = (other: DifferencePart, from = 0): string =>
    `${path}?part=${other}${from === 0 ? '' : `&skip=${from}`}`;
  const shown = `${partWords[part]}: ${numberText(skip + 1)} to ${numberText(skip + page.rows.length)} of ${numberText(count)}`;
  return html`<nav class="presets" aria-label="Kinds of change">
      <ul>
        ${differenceParts.map((each) => {
          const text = `${partWords[each]} ${numberText(page.counts[each])}`;
          return each === part
            ? html`<li><a href="${href(each)}" aria-current="page">${text}</a></li>`
            : html`<li><a href="${href(each)}">${text}</a></li>`;
        })}
      </ul>
    </nav>
    ${
      page.withoutOld === 0
        ? nothing
        : html`<p class="notice">
            The old values of ${numberText(page.withoutOld)} of them lie far back in the log: look at an
            employee's page.
          </p>`
    }
    ${
      page.rows.length === 0
        ? html`<p class="empty">This import has ${partWords[part].toLowerCase()} nobody.</p>`
        : rowsOfDifference(shown, page.rows, hrefOf)
    }
    <nav class="pager" aria-label="Pages">
      ${skip === 0 ? nothing : html`<a href="${href(part, Math.max(0, skip - limit))}" rel="prev">Before</a>`}
      ${skip + limit >= count ? nothing : html`<a href="${href(part, skip + limit)}" rel="next">More</a>`}
    </nav>`;
}
