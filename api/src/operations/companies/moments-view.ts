import { type AuditRow, type CompanyAt, type DiffRow, personalFields } from '@rollcall/application';
import { html, type Html } from '../frame/html.js';
import { time, type TimeOptions } from '../frame/moments.js';
import { empty, table } from '../frame/table.js';
import { fieldList } from '../imports/difference-view.js';
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

/** With the names of users and departments at that moment, also of those of a role. */
function nameOf({ part, id }: Pick<AuditRow, 'part' | 'id'>, { rows }: CompanyAt): string {
  const [department, user] = id.split('/');
  const keys = part === 'roles' ? [`departments/${department}`, `users/${user}`] : [`${part}/${id}`];
  const named = keys.flatMap((key) => rows.get(key) ?? []);
  const names = named.map((row) => row.open['name'] ?? personalFields(row)['Email']);
  return [partWords[part], id, ...names].join(' ');
}

function setBy({ by, part }: Pick<AuditRow, 'by' | 'part'>, times: TimeOptions): Html {
  const at = time(by.recordedAt, times);
  const isOfImport = part !== 'settings' && part !== 'templates';
  return html`${isOfImport ? html`<a href="${pathOfImport(by)}">${at}</a>` : at} ${by.username}`;
}

const fieldsOf = (row: AuditRow): readonly (readonly [string, unknown])[] =>
  Object.entries({ ...row.open, ...personalFields(row) }).filter(([name]) => isShown(name));

export const stateTable = (rows: readonly AuditRow[], at: CompanyAt, times: TimeOptions): Html =>
  table<AuditRow>({
    caption: 'The company at that moment',
    columns: [
      { name: 'What', show: (row) => nameOf(row, at) },
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

const valueOf = (value: unknown): string | null => (value === undefined ? null : shownText(value));

const sidesOf = ({ field, before, after }: DiffRow['fields'][number]) =>
  [field, { Old: valueOf(before), New: valueOf(after) }] as const;

const changes = { added: 'Added', changed: 'Changed', removed: 'Removed' } as const;

export const differenceTable = (rows: readonly DiffRow[], at: CompanyAt, times: TimeOptions): Html =>
  rows.length === 0
    ? empty('Nothing is different between these moments.')
    : table<DiffRow>({
        caption: 'What is different',
        columns: [
          { name: 'What', show: (row) => nameOf(row, at) },
          { name: 'Change', show: ({ change }) => changes[change] },
          {
            name: 'Fields',
            show: ({ fields }) =>
              fieldList(Object.fromEntries(fields.filter(({ field }) => isShown(field)).map(sidesOf))),
          },
          { name: 'Last set by', show: (row) => setBy(row, times) },
        ],
        rows,
      });
