import {
  type DifferencePart,
  type ListedImport,
  type ManagerPart,
  differenceParts,
  importDifference,
  type ManagerChanges,
  managerDifference,
  managerParts,
  wholeDifference,
} from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';
import { current, html, nothing, type Html, type Shown } from '../frame/html.js';
import { numberText } from '../frame/numbers.js';
import { empty, pastEnd, table } from '../frame/table.js';
import { pathOfEmployee } from '../companies/company-view.js';
import { pathOfImport } from './import-list-view.js';
import type { RouteDependencies } from '../../route-dependencies.js';

const patienceMs = 1_000;

type Stores = Pick<RouteDependencies, 'log' | 'readModels'>;

interface DifferenceAsk {
  readonly part?: string;
  readonly first?: DifferencePart;
  readonly skip: number;
  readonly limit: number;
}

type Read = Pick<DifferenceView, 'counts' | 'rows' | 'remark' | 'part'> | undefined;

/** A page of what an import has changed; undefined where it changed nothing. */
export const readDifference = (stores: Stores, one: ListedImport, asked: DifferenceAsk): Promise<Read> =>
  readers[one.kind](stores, one, asked);

/** What is opened first: removals are what people fear. */
const worstPart = ({ Removed, Updated }: ListedImport): DifferencePart =>
  Removed > 0 ? 'removed' : Updated > 0 ? 'changed' : 'added';

/** Renames and people who came back stand among the updated and inserted. */
const besides: Partial<Record<string, DifferencePart>> = { changed: 'renamed', added: 'restored' };

const placeOf = ({ companyId, revision }: ListedImport) => ({ companyId, revision });
const now = (): number => performance.now();
const patience = () => ({ until: now() + patienceMs, now });

type Reader = (stores: Stores, one: ListedImport, asked: DifferenceAsk) => Promise<Read>;

const readers: Readonly<Record<ListedImport['kind'], Reader>> = {
  employees: async (stores, one, asked) => {
    const named = differenceParts.find((each) => each === asked.part);
    const part = named ?? asked.first ?? worstPart(one);
    const page = await importDifference(stores, { ...placeOf(one), ...patience(), ...asked, part });
    if (page === undefined) return undefined;
    const { counts, rows, withoutOld: late } = page;
    const other = counts[part] > 0 ? undefined : besides[part];
    if (named === undefined && other !== undefined)
      return readers.employees(stores, one, { ...asked, part: other });
    const remark = `The old values of ${numberText(late)} of them lie far back in the log: look at an employee's page.`;
    return { counts, rows, part, remark: late === 0 ? undefined : remark };
  },
  managers: async (stores, one, asked) => {
    const found = await managerDifference(stores, { ...placeOf(one), ...patience() });
    if (found === undefined) return undefined;
    const { counts, isPartial } = found;
    const named = managerParts.find((each) => each === asked.part);
    const part = named ?? managerParts.find((each) => counts[each] > 0) ?? 'locked';
    const rows: PreviewRow[] = [];
    for await (const row of found.rows(part, asked.skip, asked.limit)) rows.push(row);
    const remark = 'Old values, and parents that changed, lie far back in the log: the CSV has them.';
    return { counts, rows, part, remark: isPartial ? remark : undefined };
  },
};

/** All of it, however long it takes; `count`: of whom, about. Undefined where it changed nothing. */
export async function readWhole(stores: Stores, one: ListedImport) {
  if (one.kind === 'employees') {
    const rows = await wholeDifference(stores, placeOf(one));
    return rows && { rows, count: one.Inserted + one.Updated + one.Removed };
  }
  const found = await managerDifference(stores, { ...placeOf(one), until: Infinity, now: () => 0 });
  if (found === undefined) return undefined;
  return { rows: allParts(found), count: managerParts.reduce((sum, part) => sum + found.counts[part], 0) };
}

async function* allParts({ rows }: ManagerChanges): AsyncGenerator<PreviewRow> {
  for (const part of managerParts) yield* rows(part);
}

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

const valueText = (value: PreviewRow['Fields'][string]['Old']): string =>
  value === null ? '–' : String(value);

const isWhole = (fields: PreviewRow['Fields']): boolean =>
  Object.values(fields).every(({ Old, New }) => (Old === null) !== (New === null));

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

/** `UserLocked` as `User locked`. */
const changeWord = ({ Change }: PreviewRow): string =>
  Change === 'Inserted' ? 'Added' : Change.replace(/\B[A-Z]/g, (sign) => ` ${sign.toLowerCase()}`);

/** An employee has a page of its own, a manager none. */
const subject = ({ Id, EmployeeID, Email, Fields }: PreviewRow, companyId: number): Shown =>
  Id === null || Email !== undefined
    ? (EmployeeID ?? Email ?? valueText(Fields['DepartmentName']?.New ?? null))
    : html`<a href="${pathOfEmployee(companyId, Id)}">${EmployeeID ?? `Number ${Id}`}</a>`;

/** With names (by number), or rows of several kinds, each row says what happens. */
export const rowsOfDifference = (
  caption: string,
  rows: readonly PreviewRow[],
  companyId: number,
  names?: ReadonlyMap<number, string>,
): Html =>
  table<PreviewRow>({
    caption,
    columns: [
      {
        name: rows.some(isOfManagers) ? 'User or department' : 'EmployeeID',
        show: (row) => html`${subject(row, companyId)} ${names?.get(row.Id ?? 0)}`,
      },
      ...(names || rows.some(({ Change }) => Change !== rows[0]?.Change)
        ? [{ name: 'Change', show: changeWord }]
        : []),
      { name: 'Fields', show: ({ Fields }) => fieldList(Fields) },
    ],
    rows,
  });

interface DifferenceView {
  readonly kind: ListedImport['kind'];
  readonly counts: Readonly<Record<string, number>>;
  readonly rows: readonly PreviewRow[];
  /** Of old values that were not found in time. */
  readonly remark: string | undefined;
  readonly part: string;
  readonly skip: number;
  readonly limit: number;
  readonly path: string;
  readonly companyId: number;
}

const noRows = (none: string, count: number, first: string): Html =>
  empty(count === 0 ? none : html`${pastEnd} <a href="${first}">Show its beginning</a>`);

export function differenceView(view: DifferenceView): Html {
  const { counts, rows, remark, part, skip, limit, path, companyId } = view;
  const words: Readonly<Record<string, string>> = partWords[view.kind];
  const [count = 0, word = part] = [counts[part], words[part]];
  const href = (other: string, from = 0): string =>
    `${path}?part=${other}${from === 0 ? '' : `&skip=${from}`}`;
  const shown = `${word}: ${numberText(skip + 1)} to ${numberText(skip + rows.length)} of ${numberText(count)}`;
  return html`<nav class="presets" aria-label="Kinds of change">
      <ul>
        ${Object.entries(words).map(([each, name]) => {
          const text = `${name} ${numberText(counts[each] ?? 0)}`;
          return html`<li><a href="${href(each)}" ${current(each === part)}>${text}</a></li>`;
        })}
      </ul>
    </nav>
    ${remark === undefined ? nothing : html`<p class="notice">${remark}</p>`}
    ${
      rows.length === 0
        ? noRows(`${word}: none in this import.`, count, href(part))
        : rowsOfDifference(shown, rows, companyId)
    }
    <nav class="pager" aria-label="Pages">
      ${skip === 0 ? nothing : html`<a href="${href(part, Math.max(0, skip - limit))}" rel="prev">Before</a>`}
      ${skip + limit >= count ? nothing : html`<a href="${href(part, skip + limit)}" rel="next">More</a>`}
    </nav>`;
}
