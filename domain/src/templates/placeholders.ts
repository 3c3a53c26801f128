export const placeholders = ['FirstName', 'LastName', 'Fullname', 'CompanyName', 'Link'] as const;
export type Placeholder = (typeof placeholders)[number];

export type TemplateValues = Readonly<Record<Placeholder, string>>;

export interface TemplateParts {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const pattern = /\{\{\s*([^{}]*?)\s*\}\}/g;

const isPlaceholder = (name: string): name is Placeholder => placeholders.some((known) => known === name);

/** Names between double braces, known or not. */
export const namesIn = (template: string): readonly string[] =>
  [...template.matchAll(pattern)].map(([, name = '']) => name);

export const unknownIn = (template: string): readonly string[] => [
  ...new Set(namesIn(template).filter((name) => !isPlaceholder(name))),
];

export const hasStrayBraces = (template: string): boolean => /\{\{|\}\}/.test(template.replace(pattern, ''));

/** One pass: values that look like placeholders stay. */
const fill = (template: string, valueOf: (name: Placeholder) => string): string =>
  template.replace(pattern, (whole, name: string) => (isPlaceholder(name) ? valueOf(name) : whole));

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);

const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Values are escaped in HTML, and on one line in the subject. */
export function fillTemplate({ subject, text, html }: TemplateParts, values: TemplateValues): TemplateParts {
  const plain = (name: Placeholder): string => values[name];
  return {
    subject: onOneLine(fill(subject, plain)),
    text: fill(text, plain),
    html: fill(html, (name) => escapeHtml(values[name])),
  };
}
