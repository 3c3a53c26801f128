/** What a template may ask for. */
export const placeholders = ['FirstName', 'LastName', 'Fullname', 'CompanyName', 'Link'] as const;
export type Placeholder = (typeof placeholders)[number];

/** What stands for each placeholder. */
export type TemplateValues = Readonly<Record<Placeholder, string>>;

export interface TemplateParts {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const pattern = /\{\{\s*([^{}]*?)\s*\}\}/g;

const isPlaceholder = (name: string): name is Placeholder => placeholders.some((known) => known === name);

/** The names between double braces, known or not. */
export const namesIn = (template: string): readonly string[] =>
  [...template.matchAll(pattern)].map(([, name = '']) => name);

export const unknownIn = (template: string): readonly string[] => [
  ...new Set(namesIn(template).filter((name) => !isPlaceholder(name))),
];

/** Double braces that are no placeholder at all. */
export const hasStrayBraces = (template: string): boolean => /\{\{|\}\}/.test(template.replace(pattern, ''));

/** In one pass: a value that looks like a placeholder stays as it is. */
const fill = (template: string, valueOf: (name: Placeholder) => string): string =>
  template.replace(pattern, (whole, name: string) => (isPlaceholder(name) ? valueOf(name) : whole));

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);

const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** The mail of one employee: values escaped in HTML, as they are in the text, and on one line in the subject. */
export function fillTemplate({ subject, text, html }: TemplateParts, values: TemplateValues): TemplateParts {
  const plain = (name: Placeholder): string => values[name];
  return {
    subject: onOneLine(fill(subject, plain)),
    text: fill(text, plain),
    html: fill(html, (name) => escaped(values[name])),
  };
}
