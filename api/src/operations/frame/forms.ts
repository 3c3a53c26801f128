import { isLongerThan } from '@rollcall/employee-lists/text';
import { html, nothing, type Html } from './html.js';
import { numberText } from './numbers.js';

export interface FormProblem {
  /** The `name` of the field, and its `id` in a form with problems. */
  readonly field: string;
  readonly text: string;
}

export const problemSummary = (problems: readonly FormProblem[]): Html =>
  html`<div class="problems" role="alert" tabindex="-1" autofocus aria-labelledby="problems">
    <h2 id="problems">There is a problem</h2>
    <ul>
      ${problems.map(({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`)}
    </ul>
  </div>`;

export interface Field {
  readonly name: string;
  /** By default its name. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string;
  /** What was typed, or is in force. */
  readonly value?: string | undefined;
  /** By default `text`. */
  readonly type?: 'text' | 'date' | 'search' | 'datetime-local' | 'number' | 'email' | 'file';
  /** Of a file, which has no value. */
  readonly accept?: string;
  readonly required?: boolean;
  /** For a list to choose from, with the texts that it shows. */
  readonly choices?: readonly (readonly [value: string, text: string])[];
  readonly problems?: readonly FormProblem[] | undefined;
}

const given = ({ accept, value = '', type }: Field): Html =>
  accept === undefined
    ? html`value="${value}" ${type === 'search' ? html`maxlength="200"` : nothing} autocomplete="off"`
    : html`accept="${accept}"`;

function control(one: Field, id: string, problem: string | undefined): Html {
  const { name, value = '', type = 'text', required, choices } = one;
  const described = [one.hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const about = html`id="${id}" name="${name}"
  ${described === '' ? nothing : html`aria-describedby="${described}"`}
  ${required === true ? html`required` : nothing}`;
  if (choices === undefined) return html`<input ${about} type="${type}" ${given(one)} />`;
  return html`<select ${about}>
    ${choices.map(
      ([each, text]) =>
        html`<option value="${each}" ${each === value ? html`selected` : nothing}>${text}</option>`,
    )}
  </select>`;
}

export function field(one: Field): Html {
  const { name, id = name, label, hint } = one;
  const problem = one.problems?.find((each) => each.field === name)?.text;
  return html`<div class="field ${problem === undefined ? '' : 'wrong'}">
    <label for="${id}">${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${problem && html`<p class="problem" id="${id}-problem"><b>Error:</b> ${problem}</p>`}
    ${control(one, id, problem)}
  </div>`;
}

/** A form whose state is the page's address, so that a list can be sent as a link. */
export const filterForm = (path: string, fields: readonly Field[], name = 'Filter'): Html =>
  html`<form class="filter" method="get" action="${path}" role="search" aria-label="${name}">
    ${fields.map(field)}
    <div class="buttons"><button>Show</button> <a href="${path}">Clear</a></div>
  </form>`;

export interface ActionForm {
  readonly path: string;
  readonly token: string;
  /** Says what it does, with how many: "Remove 412 employees and apply". */
  readonly button: string;
  readonly isDestructive?: boolean;
  /** Typed by hand before it is done: it is over the batch limit. */
  readonly typed?: number | undefined;
  readonly fields?: readonly Field[];
  readonly hidden?: Readonly<Record<string, string>>;
  /** False where no reason is kept. */
  readonly asksWhy?: boolean;
  readonly problems?: readonly FormProblem[] | undefined;
  readonly values?: Readonly<Record<string, string>> | undefined;
}

const why = (values: ActionForm['values']): Field => ({
  name: 'reason',
  label: 'Why',
  hint: 'One line. It is kept in the log with your name.',
  required: true,
  value: values?.['reason'],
});

const typedNumber = (count: number, values: ActionForm['values']): Field => ({
  name: 'typed',
  label: `Type ${numberText(count)} to confirm`,
  hint: 'It is over the batch limit.',
  required: true,
  value: values?.['typed'],
});

export const hiddenField = ([name, value]: readonly [name: string, value: string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** An action: what it does is on the page above it. `actionInput` reads it. */
export function actionForm(form: ActionForm): Html {
  const { fields = [], hidden = {}, typed, problems, asksWhy = true } = form;
  const all = [
    ...fields,
    ...(asksWhy ? [why(form.values)] : []),
    ...(typed === undefined ? [] : [typedNumber(typed, form.values)]),
  ];
  // The links of the problems lead to the form that was sent; of a page's other forms each has ids of its own.
  const prefix = problems === undefined ? `${form.path.replace(/.*\//, '')}-` : '';
  return html`<form class="action" method="post" action="${form.path}" novalidate>
    ${Object.entries({ token: form.token, ...hidden }).map(hiddenField)}
    ${all.map((each) => field({ ...each, id: prefix + each.name, problems }))}
    <button class="${form.isDestructive === true ? 'danger' : 'primary'}">${form.button}</button>
  </form>`;
}

export interface Sent {
  /** Of the action whose form has problems. */
  readonly action: string;
  readonly problems: readonly FormProblem[];
  readonly values: Readonly<Record<string, string>>;
}

export interface FoldedForm extends ActionForm {
  readonly name: string;
  readonly explained: string;
  readonly sent: Sent | undefined;
}

/** A form behind its name, open where it was sent. */
export function foldedForm({ name, explained, sent, ...form }: FoldedForm): Html {
  const own = sent !== undefined && form.path.endsWith(`/${sent.action}`) ? sent : undefined;
  return html`<details ${own === undefined ? nothing : html`open`}>
    <summary>${name}</summary>
    <p>${explained}</p>
    ${actionForm({ ...form, ...own })}
  </details>`;
}

/** The reason, and what is missing: why, or the number that `actionForm` asked for. */
export function actionInput(form: Readonly<Record<string, string>>, typed?: number) {
  const reason = (form['reason'] ?? '').trim();
  const problems: FormProblem[] = [];
  if (reason === '') problems.push({ field: 'reason', text: 'Say why: one line, kept in the log' });
  if (isLongerThan(reason, 500)) problems.push({ field: 'reason', text: 'Write at most 500 characters' });
  if (typed !== undefined && (form['typed'] ?? '').replace(/\D/g, '') !== String(typed))
    problems.push({ field: 'typed', text: `Type ${numberText(typed)} to confirm` });
  return { reason, problems };
}
