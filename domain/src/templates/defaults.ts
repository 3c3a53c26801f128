import type { InvitationTemplateSet, Language } from '@rollcall/contracts';

export const placeholders = ['FirstName', 'LastName', 'Fullname', 'CompanyName', 'Link'] as const;
type Placeholder = (typeof placeholders)[number];

type TemplateValues = Readonly<Record<Placeholder, string>>;

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

/** No control characters: the text can begin no header of a mail. */
export const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Values are escaped in HTML, and on one line in the subject. */
export function fillTemplate({ subject, text, html }: TemplateParts, values: TemplateValues): TemplateParts {
  const plain = (name: Placeholder): string => values[name];
  return {
    subject: onOneLine(fill(subject, plain)),
    text: fill(text, plain),
    html: fill(html, (name) => escapeHtml(values[name])),
  };
}

interface Words {
  readonly subject: string;
  readonly hello: string;
  readonly body: string;
  readonly button: string;
  readonly personal: string;
  readonly regards: string;
}

const english: Words = {
  subject: '{{CompanyName}}: a short survey for you',
  hello: 'Hello {{FirstName}},',
  body: '{{CompanyName}} would like to hear from you. The survey takes a few minutes:',
  button: 'Open the survey',
  personal: 'The link is yours alone; please do not pass it on. It works for 30 days.',
  regards: 'Kind regards',
};

const danish: Words = {
  subject: '{{CompanyName}}: en kort undersøgelse til dig',
  hello: 'Hej {{FirstName}}',
  body: '{{CompanyName}} vil gerne høre fra dig. Undersøgelsen tager nogle få minutter:',
  button: 'Åbn undersøgelsen',
  personal: 'Linket er kun til dig; giv det ikke videre. Det virker i 30 dage.',
  regards: 'Venlig hilsen',
};

const asText = ({ hello, body, personal, regards }: Words): string =>
  [hello, '', body, '', '{{Link}}', '', personal, '', regards, '{{CompanyName}}', ''].join('\n');

const asHtml = ({ hello, body, button, personal, regards }: Words): string =>
  [
    '<!doctype html>',
    '<html><body style="font-family: sans-serif; line-height: 1.5">',
    `<p>${hello}</p>`,
    `<p>${body}</p>`,
    `<p><a href="{{Link}}">${button}</a></p>`,
    `<p>${personal}</p>`,
    `<p>${regards}<br>{{CompanyName}}</p>`,
    '</body></html>',
    '',
  ].join('\n');

const partsOf = (words: Words): TemplateParts => ({
  subject: words.subject,
  text: asText(words),
  html: asHtml(words),
});

const inEnglish = partsOf(english);
const inDanish = partsOf(danish);

/** Danish for Danish, English otherwise. */
export const defaultTemplate = (language: Pick<Language, 'code'> | undefined): TemplateParts =>
  /^da(?:\b|_)/i.test(language?.code ?? '') ? inDanish : inEnglish;

export const templateInForce = (
  language: Language,
  set: InvitationTemplateSet | undefined,
): InvitationTemplateSet => set ?? { language: language.id, sender: null, ...defaultTemplate(language) };

/** Dimension `Language` names it by id, code or label; else the company's first. Undefined where it has none. */
export function languageOf(
  languages: readonly Language[],
  dimensions: Readonly<Record<string, string>> = {},
): Language | undefined {
  const wanted = dimensions['Language']?.toLowerCase();
  const named = ({ id, code, label }: Language): boolean =>
    [String(id), code, label].some((name) => name.toLowerCase() === wanted);
  return languages.find(named) ?? languages[0];
}
