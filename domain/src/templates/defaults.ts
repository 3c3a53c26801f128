import type { InvitationTemplateSet, Language } from '@rollcall/contracts';
import type { TemplateParts } from './placeholders.js';

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
