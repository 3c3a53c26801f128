import { csvFields, type CsvProblem, isOfEmployees, type Preview } from '@rollcall/application';
import type { ImportKind, PreviewRow } from '@rollcall/contracts';
import { rejectionTexts } from '@rollcall/domain';
import { actionForm, type Field, field, type FormProblem } from '../frame/forms.js';
import { html, nothing, type Html } from '../frame/html.js';
import { counted, numberText } from '../frame/numbers.js';
import { facts, table } from '../frame/table.js';
import { rowsOfDifference } from '../imports/difference-view.js';
import { actionText, overLimit } from '../imports/over-limit.js';
import { columnField, dimensionOf, leftOut, type Uploaded } from './uploaded.js';

const shownProblems = 20;

const kinds: readonly (readonly [ImportKind, string])[] = [
  ['employees', 'Employees'],
  ['managers', 'Managers'],
];

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
    hint: `CSV in UTF-8, its first line the names of the columns: ${csvFields('employees').join(', ')}.`,
    type: 'file',
    accept: '.csv,.json,text/csv,application/json',
    problems,
  },
];

/** The first step: the whole list, as a file or pasted. */
export const uploadForm = (
  path: string,
  token: string,
  problems: readonly FormProblem[],
  values: PreviewView['values'] = {},
): Html =>
  html`<p>
      The list has everybody: whoever is not in it is removed. Nothing happens before you have seen what it
      would do.
    </p>
    <form class="action" method="post" action="${path}" enctype="multipart/form-data" novalidate>
      <input type="hidden" name="token" value="${token}" />
      ${fieldsOf(values, problems).map(field)}
      <details>
        <summary>Paste it instead</summary>
        <div class="field">
          <label for="text">The list</label>
          <textarea id="text" name="text" rows="8"></textarea>
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

/** Where columns have no field: choose one for each. The file stays. */
export function columnsForm(
  path: string,
  token: string,
  uploaded: Uploaded,
  problems: readonly CsvProblem[],
): Html {
  const fields = uploaded.columns.map(({ name, field: own }, at): Field => ({
    ...{ name: columnField(at), label: `Column “${name}”`, choices: columnChoices(uploaded, name) },
    value: own === null ? leftOut : own,
  }));
  const others = problems.filter(({ problem }) => !/^column .* is no field/.test(problem));
  return html`${others.length === 0 ? nothing : problemTable(others)}
  ${
    fields.length === 0
      ? nothing
      : html`<h2>Columns</h2>
          <p>Say which field each column is. The file is kept; you need not choose it again.</p>
          ${actionForm({
            path,
            token,
            fields,
            hidden: hiddenOf(uploaded),
            asksWhy: false,
            button: 'Show what it would do',
            problems: unknownColumns(uploaded),
          })}`
  }
  ${again(path)}`;
}

/** Each column without a field, as a problem of its field. */
export const unknownColumns = ({ columns }: Uploaded): readonly FormProblem[] =>
  columns.flatMap(({ name, field: own }, at) =>
    own === undefined
      ? [{ field: columnField(at), text: `No field is called “${name}”: choose one, or leave it out` }]
      : [],
  );

const again = (path: string): Html => html`<p><a href="${path}">Choose another file</a></p>`;

const problemTable = (problems: readonly CsvProblem[]): Html =>
  table<CsvProblem>({
    caption:
      problems.length > shownProblems
        ? `The first ${shownProblems} of ${numberText(problems.length)} problems`
        : 'What is wrong with the file',
    columns: [
      { name: 'Line', isNumber: true, show: ({ line }) => (line === undefined ? '–' : numberText(line)) },
      { name: 'Problem', show: ({ problem }) => problem },
    ],
    rows: problems.slice(0, shownProblems),
  });

export const refusedView = (path: string, problems: readonly CsvProblem[]): Html =>
  html`<p>Nothing was changed. Correct these lines, and choose the file again.</p>
    ${problemTable(problems)} ${again(path)}`;

function buttonOf(preview: Preview): string {
  if (!isOfEmployees(preview)) return 'Apply this list of managers';
  const { Inserted, Updated, Removed } = preview;
  const text = actionText([
    [Removed, `remove ${counted(Removed, 'employee')}`],
    [Inserted, `add ${numberText(Inserted)}`],
    [Updated, `update ${numberText(Updated)}`],
  ]);
  return `${text}: apply`;
}

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

function remarksOf(preview: Preview): readonly string[] {
  const { LikelyRenames, PendingImports } = preview;
  const other = isOfEmployees(preview) ? 'removed, under another id' : 'locked, under another address';
  return [
    ...(PendingImports > 0 ? [`${counted(PendingImports, 'import')} of this company run before it.`] : []),
    ...(LikelyRenames.Count > 0
      ? [`${counted(LikelyRenames.Count, 'new one')} may be somebody who would be ${other}.`]
      : []),
  ];
}

interface PreviewView {
  readonly path: string;
  readonly token: string;
  readonly companyId: number;
  readonly uploaded: Uploaded;
  readonly preview: Preview;
  readonly isChange: boolean;
  readonly rows: readonly PreviewRow[];
  readonly isPartial: boolean;
  readonly problems: readonly FormProblem[];
  readonly values: Readonly<Record<string, string>>;
}

const columnFields = ({ columns }: Uploaded): Record<string, string> =>
  Object.fromEntries(columns.map(({ field: own }, at) => [columnField(at), own ?? leftOut]));

function applyForm(view: PreviewView, typed: number | undefined): Html {
  const { path, token, uploaded, preview, problems, values } = view;
  const hidden = {
    ...hiddenOf(uploaded),
    ...columnFields(uploaded),
    preview: preview.PreviewId,
    most: String(typed ?? ''),
  };
  const isDestructive = isOfEmployees(preview) && preview.Removed > 0;
  const button = buttonOf(preview);
  return actionForm({ path: `${path}/apply`, token, button, isDestructive, typed, hidden, problems, values });
}

export function previewView(view: PreviewView): Html {
  const { path, companyId, preview, rows, isPartial, isChange } = view;
  const caption = isPartial ? `The first ${rows.length} changes, who leaves first` : 'Every change';
  const { texts, typed, isRefused } = limitedBy(preview, companyId);
  return html`<p class="lead">
      ${isChange ? 'This is what it would do. Nothing is done yet.' : 'The list is as it is here: it would change nothing.'}
    </p>
    ${facts(countsOf(preview))}
    ${[...texts, ...remarksOf(preview)].map((text) => html`<p class="notice">${text}</p>`)}
    ${isChange && !isRefused ? applyForm(view, typed) : nothing}
    ${rows.length === 0 ? nothing : rowsOfDifference(caption, rows, companyId)} ${again(path)}`;
}
