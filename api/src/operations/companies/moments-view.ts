import { type AuditRow, type DiffRow, personalFields } from '@rollcall/application';
import { html, nothing, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { empty, table } from '../frame/table.js';
import { pathOfImport } from '../imports/import-list-view.js';

const shownText = (value: unknown): string => {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const partWords: Readonly<Record<AuditRow['part'], string>> = {
  settings: 'Setting',
  templates: 'Template',
  employees: 'Employee',
  users: 'Portal user',
  departments: 'Department',
  roles: 'Role',
  surveys: 'Survey',
};

/** A digest says nothing to a person. */
const isShown = (name: string): boolean => name !== 'digest';

const nameOf = ({ part, id }: Pick<AuditRow, 'part' | 'id'>): string => `${partWords[part]} ${id}`;

function setBy({ by, part }: Pick<AuditRow, 'by' | 'part'>, times: TimeOptions): Html {
  const at = time(by.recordedAt, times);
  const isOfImport = part !== 'settings' && part !== 'templates';
  return html`${isOfImport ? html`<a href="${pathOfImport(by)}">${at}</a>` : at} ${by.username}`;
}

const fieldsOf = (row: AuditRow): readonly (readonly [string, unknown])[] =>
  Object.entries({ ...row.open, ...personalFields(row) }).filter(([name]) => isShown(name));

export const stateTable = (rows: readonly AuditRow[], times: TimeOptions): Html =>
  table<AuditRow>({
    caption: 'The company at that moment',
    columns: [
      { name: 'What', show: nameOf },
      {
        name: 'Values',
        show: (row) =>
          html`<ul class="fields inline">
            ${fieldsOf(row).map(([name, value]) => html`<li><b>${name}</b> ${shownText(value)}</li>`)}
          </ul>`,
      },
      { name: 'Set by', show: (row) => setBy(row, times) },
    ],
    rows,
  });

const changes = { added: 'Added', changed: 'Changed', removed: 'Removed' } as const;

export const differenceTable = (rows: readonly DiffRow[], times: TimeOptions): Html =>
  rows.length === 0
    ? empty('Nothing is different between these moments.')
    : table<DiffRow>({
        caption: 'What is different',
        columns: [
          { name: 'What', show: nameOf },
          { name: 'Change', show: ({ change }) => changes[change] },
          {
            name: 'Fields',
            show: ({ fields }) =>
              html`<ul class="fields">
                ${fields
                  .filter(({ field }) => isShown(field))
                  .map(
                    ({ field, before, after }) =>
                      html`<li>
                        <b>${field}</b>
                        ${before === undefined ? nothing : html`<del><span class="sr">was </span>${shownText(before)}</del>`}
                        ${after === undefined ? nothing : html`<ins><span class="sr">now </span>${shownText(after)}</ins>`}
                      </li>`,
                  )}
              </ul>`,
          },
          { name: 'Last set by', show: (row) => setBy(row, times) },
        ],
        rows,
      });
