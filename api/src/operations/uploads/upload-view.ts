import { csvFields, type CsvProblem, isOfEmployees, type Preview } from '@rollcall/application';
import type { ImportKind, PreviewRow } from '@rollcall/contracts';
import { rejectionTexts } from '@rollcall/domain';
import { actionForm, type Field, field, type FormProblem, hiddenField } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import { counted, number, numberText } from '../frame/numbers.js';
import { type Column, facts, table } from '../frame/table.js';
import { rowsOfDifference } from '../imports/difference-view.js';
import { actionText, overLimit } from '../imports/over-limit.js';
import { columnField, dimensionOf, leftOut, nameField, type Uploaded } from './uploaded.js';

const shownProblems = 20;

const kinds: readonly (readonly [ImportKind, string])[] = [
  ['employees', 'Employees'],
  ['managers', 'Managers'],
];

const columnsOf = ([kind, name]: (typeof kinds)[number]): string => `${name}: ${csvFields(kind).join(', ')}.`;

const fieldsOf = (values: PreviewView['values'], problems: readonly FormProblem[]): readonly Field[] => [
  { name: 'kind', label: 'What the list has', choices: kinds, value: values['kind'] },
  {
    name: 'renames',
    label: 'Who leaves and comes under another EmployeeID, with the same e-mail address',
    choices: [
      ['', 'Two people: the one leaves, the other is invited'],
      ['keep', 'The same person: number and invitation stay'],
    ],
    value: values['renames'],
  },
  {
    name: 'file',
    label: 'CSV or JSON file',
    hint: `CSV in UTF-8, its first line the names of the columns. ${kinds.map(columnsOf).join(' ')}`,
    type: 'file',
    accept: '.csv,.json,text/csv,application/json',
    problems,
  },
];

/** The first step: the whole list, as a file or pasted. What was chosen for columns holds where it has them too. */
export const uploadForm = (
  path: string,
  token: string,
  problems: readonly FormProblem[],
  values: PreviewView['values'] = {},
): Html =>
  html`<p>
      The list has everybody: whoever is not in it is removed, and a field without a column becomes empty.
      Nothing happens before you have seen what it would do.
    </p>
    <form class="action" method="post" action="${path}" enctype="multipart/form-data" novalidate>
      ${hiddenField(['token', token])}
      ${Object.entries(values)
        .filter(([name]) => /^(?:column|name)-\d+$/.test(name))
        .map(hiddenField)}
      ${fieldsOf(values, problems).map(field)}
      <details ${values['text'] ? html`open` : nothing}>
        <summary>Paste it instead</summary>
        <div class="field">
          <label for="text">The list</label>
          <textarea id="text" name="text" rows="8">${values['text']}</textarea>
        </div>
      </details>
      <button class="primary">Show what it would do</button>
    </form>`;

const hiddenOf = ({ kind, keepsRenames, file }: Uploaded) => ({
  kind,
  file,
  ...(keepsRenames && { renames: 'keep' }),
});

function columnChoices({ kind }: Uploaded, name: string): NonNullable<Field['choices']> {
  const dimension = dimensionOf(name);
  return [
    ['', 'Choose'],
    [leftOut, 'Leave it out'],
    ...csvFields(kind).map((each) => [each, each] as const),
    ...(kind === 'employees' ? [[dimension, dimension] as const] : []),
  ];
}

/** What each step after the first begins with. */
interface Step {
  readonly path: string;
  readonly token: string;
  readonly uploaded: Uploaded;
}

function columnsForm({ path, token, uploaded }: Step, problems: readonly CsvProblem[]): Html {
  const fields = uploaded.columns.map(({ name, field: own }, at): Field => ({
    ...{ name: columnField(at), label: `Column “${name}”`, choices: columnChoices(uploaded, name) },
    value: own === null ? leftOut : own,
  }));
  return html`<h2>Columns</h2>
    <p>Say which field each column is. A field without a column becomes empty. The file is kept.</p>
    ${actionForm({
      ...{ path, token, fields, hidden: hiddenOf(uploaded), asksWhy: false },
      button: 'Show what it would do',
      problems: unknownColumns(uploaded, problems),
    })}`;
}

/** Only what its columns become is wrong with the file. */
const isOfColumns = ({ columns }: Uploaded, problems: readonly CsvProblem[]): boolean =>
  columns.length > 0 && problems.every(({ line }) => line === 1);

/** Each column without a field, as a problem of its field. */
export const unknownColumns = (uploaded: Uploaded, problems: readonly CsvProblem[]): readonly FormProblem[] =>
  uploaded.columns.flatMap(({ name, field: own }, at) =>
    own === undefined && isOfColumns(uploaded, problems)
      ? [{ field: columnField(at), text: `No field is called “${name}”: choose one, or leave it out` }]
      : [],
  );

const again = ({ path, token, uploaded }: Step): Html =>
  html`<details>
    <summary>Choose another file</summary>
    ${uploadForm(path, token, [], { ...hiddenOf(uploaded), ...columnFields(uploaded) })}
  </details>`;

const lineColumn: Column<CsvProblem> = { name: 'Line', isNumber: true, show: ({ line }) => number(line) };

const problemTable = (problems: readonly CsvProblem[]): Html =>
  table<CsvProblem>({
    caption:
      problems.length > shownProblems
        ? `The first ${shownProblems} of ${numberText(problems.length)} problems`
        : 'What is wrong with the file',
    columns: [
      ...(problems.some(({ line }) => line !== undefined) ? [lineColumn] : []),
      { name: 'Problem', show: ({ problem }) => problem },
    ],
    rows: problems.slice(0, shownProblems),
  });

/** Where columns are wrong they are chosen here; any other file is corrected. */
export function refusedView(step: Step, problems: readonly CsvProblem[]): Html {
  const others = problems.filter(({ problem }) => !/^column .* is no field/.test(problem));
  const table = others.length === 0 ? nothing : problemTable(others);
  if (isOfColumns(step.uploaded, problems))
    return html`${table} ${columnsForm(step, problems)} ${again(step)}`;
  const what = problems.some(({ line }) => line !== undefined) ? 'these lines' : 'the list';
  return html`<p>Nothing was changed. Correct ${what}, and choose the file again.</p>
    ${table} ${again(step)}`;
}

const actionOf = (preview: Preview): string =>
  isOfEmployees(preview)
    ? actionText([
        [preview.Removed, `remove ${counted(preview.Removed, 'employee')}`],
        [preview.Inserted, `add ${numberText(preview.Inserted)}`],
        [preview.Updated, `update ${numberText(preview.Updated)}`],
      ])
    : actionText([
        [preview.Locked, `lock ${counted(preview.Locked, 'user')}`],
        [preview.Disabled, `disable ${counted(preview.Disabled, 'role')}`],
        [preview.Created, `create ${counted(preview.Created, 'role')}`],
        [preview.Unlocked, `unlock ${counted(preview.Unlocked, 'user')}`],
      ]) || 'Change names, contacts or parents';

const countsOf = (preview: Preview): readonly (readonly [string, string])[] =>
  isOfEmployees(preview)
    ? [
        ['Added', numberText(preview.Inserted)],
        ['Updated', numberText(preview.Updated)],
        ['Removed', numberText(preview.Removed)],
        ['Invitations', numberText(preview.Invitations.Count)],
      ]
    : [
        ['Roles created', numberText(preview.Created)],
        ['Roles disabled', numberText(preview.Disabled)],
        ['Users locked', numberText(preview.Locked)],
        ['Users unlocked', numberText(preview.Unlocked)],
      ];

/** What comes of a list over the batch limit. */
function limitedBy(preview: Preview, companyId: number) {
  if (!isOfEmployees(preview) || !preview.BatchLimit.Exceeded) return { texts: [], isRefused: false };
  const { Inserted: inserted, Removed: removed, BatchLimit } = preview;
  const over = { inserted, removed, present: BatchLimit.Present, limit: BatchLimit.Limit ?? 0 };
  if (BatchLimit.OverLimit === 'refuse')
    return { texts: rejectionTexts({ reason: 'batch-limit-exceeded', companyId, ...over }), isRefused: true };
  const { what, count } = overLimit(over);
  return { texts: [`${what} It will be held until somebody approves it.`], typed: count, isRefused: false };
}

type Counts = readonly (readonly [name: string, count: number])[];

const ignoredText = (ignored: Counts): string =>
  `No field is called ${ignored.map(([name, count]) => `${name === '...' ? 'others' : `“${name}”`} (${counted(count, 'element')})`).join(', ')}: ignored.`;
const emptiedText = (emptied: Counts): string =>
  `Becomes empty: ${emptied.map(([name, count]) => `${name} for ${counted(count, 'employee')}`).join(', ')}.`;

function remarksOf({ preview, emptied }: PreviewView): readonly string[] {
  const { LikelyRenames, PendingImports } = preview;
  const ignored = Object.entries(preview.IgnoredFields);
  const [other, waits] = isOfEmployees(preview)
    ? ['removed, under another id', 'waits']
    : ['locked, under another address', 'may wait'];
  return [
    ...(ignored.length > 0 ? [ignoredText(ignored)] : []),
    ...(emptied.length > 0 ? [emptiedText(emptied)] : []),
    ...(PendingImports > 0 ? [`It ${waits} for ${counted(PendingImports, 'import')} before it.`] : []),
    ...(LikelyRenames.Count > 0
      ? [`${counted(LikelyRenames.Count, 'new one')} may be somebody who would be ${other}.`]
      : []),
  ];
}

interface PreviewView extends Step {
  readonly companyId: number;
  readonly preview: Preview;
  readonly isChange: boolean;
  readonly rows: readonly PreviewRow[];
  readonly isPartial: boolean;
  /** For how many employees each field becomes empty. */
  readonly emptied: Counts;
  readonly names: ReadonlyMap<number, string>;
  readonly problems: readonly FormProblem[];
  readonly values: Readonly<Record<string, string>>;
}

const columnFields = ({ columns }: Uploaded): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap(({ name, field: own = '' }, at) => [
      [columnField(at), own ?? leftOut],
      [nameField(at), name],
    ]),
  );

function applyForm(view: PreviewView, typed: number | undefined): Html {
  const { path, token, uploaded, preview, problems, values } = view;
  const hidden = {
    ...hiddenOf(uploaded),
    ...columnFields(uploaded),
    preview: preview.PreviewId,
    most: String(typed ?? ''),
  };
  const isDestructive = isOfEmployees(preview) ? preview.Removed > 0 : preview.Locked + preview.Disabled > 0;
  const button = `${actionOf(preview)}: ${typed === undefined ? 'apply' : 'hand in for approval'}`;
  return actionForm({ path: `${path}/apply`, token, button, isDestructive, typed, hidden, problems, values });
}

export function previewView(view: PreviewView): Html {
  const { companyId, preview, rows, isPartial, isChange, names } = view;
  const caption = isPartial
    ? `The first ${rows.length} changes, who leaves first and some of each kind`
    : 'Every change';
  const { texts, typed, isRefused } = limitedBy(preview, companyId);
  return html`<p class="lead">
      ${isChange ? 'This is what it would do. Nothing is done yet.' : 'The list is as it is here: it would change nothing.'}
    </p>
    ${facts(countsOf(preview))}
    ${[...texts, ...remarksOf(view)].map((text) => html`<p class="notice">${text}</p>`)}
    ${isChange && !isRefused ? applyForm(view, typed) : nothing}
    ${rows.length === 0 ? nothing : rowsOfDifference(caption, rows, companyId, names)} ${again(view)}`;
}
