import { html as escaping } from 'ghtml';

/** Text that is HTML. Only `html` makes it, so everything else is escaped. */
export class Html {
  readonly #text: string;

  constructor(strings: readonly string[], values: readonly Shown[]) {
    // ghtml takes a value as HTML where `!` precedes it: here its type decides, never the text.
    const raw = strings.map((part, at) => {
      if (at >= values.length) return part;
      return isHtml(values[at]) ? `${part}!` : part.replace(/!$/, '&#33;');
    });
    this.#text = escaping(Object.assign(raw, { raw }), ...values.map(textOf));
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template takes; lists are joined, `undefined`, `null` and `false` are nothing. */
export type Shown = Html | string | number | false | null | undefined | readonly Html[];

const isHtml = (value: Shown): boolean => value instanceof Html || Array.isArray(value);

function textOf(value: Shown): string {
  if (value === undefined || value === null || value === false) return '';
  return Array.isArray(value) ? value.join('') : String(value);
}

export const html = (strings: TemplateStringsArray, ...values: readonly Shown[]): Html =>
  new Html(strings.raw, values);

export const nothing = html``;

/** Marks the link to what is shown. */
export const current = (isCurrent: boolean): Html => (isCurrent ? html`aria-current="page"` : nothing);
