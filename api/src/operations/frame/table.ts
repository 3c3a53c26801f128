import { html, nothing, type Html, type Shown } from './html.js';

export interface Column<R> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly show: (row: R) => Shown;
}

interface Table<R> {
  readonly caption: string;
  /** The first one names the row. */
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
}

const cell = <R>({ name, isNumber, show }: Column<R>, row: R, isHead: boolean): Html => {
  const about = html`class="${isNumber === true ? 'count' : ''}" data-name="${name}"`;
  return isHead ? html`<th scope="row" ${about}>${show(row)}</th>` : html`<td ${about}>${show(row)}</td>`;
};

/** In a box of its own that scrolls sideways, also by keyboard; on a phone each row is a block, its cells below each other. */
export function table<R>({ caption, columns, rows }: Table<R>): Html {
  return html`<div class="box" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ name, isNumber }) =>
              html`<th scope="col" class="${isNumber === true ? 'count' : ''}">${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column, at) => cell(column, row, at === 0))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

interface Pager {
  /** The address of this list, its filters included. */
  readonly url: string;
  /** What `after` is in the next page; undefined on the last one. */
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly words?: readonly [first: string, next: string, last: string];
}

export function pager({ url, next, isFirst, words = ['Newest', 'Older', 'No older ones'] }: Pager): Html {
  const [first, more, last] = words;
  if (next === undefined && isFirst) return nothing;
  return html`<nav class="pager" aria-label="Pages">
    ${isFirst ? nothing : html`<a href="${withParameter(url, 'after', undefined)}" rel="first">${first}</a>`}
    ${
      next === undefined
        ? html`<span>${last}</span>`
        : html`<a href="${withParameter(url, 'after', next)}" rel="next">${more}</a>`
    }
  </nav>`;
}

/** The address with one parameter of its query changed, or without it. */
export function withParameter(url: string, name: string, value: string | undefined): string {
  const [path = '', query = ''] = url.split('?');
  const parameters = new URLSearchParams(query);
  if (value === undefined) parameters.delete(name);
  else parameters.set(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** Names and values beside each other; undefined ones are left out. */
export const facts = (list: readonly (readonly [name: string, value: Shown])[]): Html =>
  html`<dl>
    ${list.flatMap(([name, value]) =>
      value === undefined
        ? []
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;

export const pastEnd = 'The list ends before this page.';
/** What will be here, and how it comes there. */
export const empty = (text: Shown): Html => html`<p class="empty">${text}</p>`;

export type State = 'good' | 'waiting' | 'bad' | 'quiet';

const icons: Readonly<Record<State, string>> = { good: '✓', waiting: '◷', bad: '!', quiet: '–' };

/** A word with its icon; `bad` is for what needs somebody. */
export const state = (kind: State, text: string): Html =>
  html`<span class="state ${kind}"><span aria-hidden="true">${icons[kind]}</span> ${text}</span>`;

/** `name` is for `copyButton`. */
export const id = (text: string, name?: string): Html =>
  name === undefined ? html`<code>${text}</code>` : html`<code id="${name}">${text}</code>`;

/** Copies the text of the element with this `id`; shown where a script can. */
export const copyButton = (name: string): Html =>
  html`<button type="button" class="copy quiet" data-copy="${name}">Copy</button>`;
