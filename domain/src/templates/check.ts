import type { InvitationTemplateSet, Language } from '@rollcall/contracts';
import { isBlank, isLongerThan, isStorable, isEmailAddress } from '@rollcall/employee-lists/text';
import { hasStrayBraces, namesIn, placeholders, type TemplateParts, unknownIn } from './defaults.js';

export interface TemplateProblem {
  readonly part: 'subject' | 'text' | 'html' | 'sender';
  readonly problem: string;
}

export type TemplateRejection =
  | { readonly reason: 'company-unknown' }
  /** The company has other languages, or none yet. */
  | { readonly reason: 'language-unknown'; readonly languages: readonly Language[] }
  | { readonly reason: 'template-invalid'; readonly problems: readonly TemplateProblem[] };

const lengths: Readonly<Record<keyof TemplateParts, number>> = { subject: 200, text: 50_000, html: 100_000 };
const known = placeholders.map((name) => `{{${name}}}`).join(', ');

function textProblem(part: keyof TemplateParts, text: string): string | undefined {
  if (isBlank(text)) return 'must not be blank';
  if (isLongerThan(text, lengths[part])) return `must be at most ${lengths[part]} characters`;
  if (!isStorable(text)) return 'must be text without control character 0 and broken surrogate pairs';
  return placeholderProblem(part === 'html' ? text.replace(rawContent, ' ') : text);
}

function placeholderProblem(text: string): string | undefined {
  const unknown = unknownIn(text);
  if (unknown.length > 0)
    return `has unknown placeholders: ${unknown.map((name) => `{{${name}}}`).join(', ')}; known are ${known}`;
  return hasStrayBraces(text) ? `has double braces that are no placeholder; known are ${known}` : undefined;
}

/** Not the beginning of a comment, in which apostrophes are no quotes and no value can end it. */
const tag = /<(?!!--)[a-z/!?](?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^'">])*(?:>|$)/gi;
/** Braces are code there. A script may hold the text of another one's end. */
const rawContent =
  /<script\b(?:[^]*<\/script|[^]*)|<style\b(?:"[^"]*"|'[^']*'|[^'">])*(?:(?!<\/style[\s/>])[^])*/gi;

/** Escaping suffices between tags and in quoted values only; a name elsewhere could become markup. */
function htmlProblem(html: string): string | undefined {
  if (html.match(rawContent)?.some((each) => each.includes('{{')))
    return 'must have no placeholder in script or style';
  const inTags = (html.match(tag) ?? []).flatMap((each) => [
    ...namesIn(each.replace(/=\s*(?:"[^"]*"|'[^']*')/g, '')).map(() => 'unquoted'),
    ...namesIn(each),
  ]);
  return inTags.every((name) => name === 'Link')
    ? undefined
    : 'may have only {{Link}} inside a tag, and that in quotes';
}

const linkProblem = (text: string): string | undefined =>
  namesIn(text).includes('Link') ? undefined : 'must have {{Link}}';

const onOneLine = (text: string): string | undefined =>
  /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? 'must be on one line' : undefined;

function senderProblem({ sender }: InvitationTemplateSet): string | undefined {
  if (sender === null) return undefined;
  if (!isEmailAddress(sender.address)) return 'must be an e-mail address, or Name <address>';
  return isLongerThan(sender.name, 150)
    ? 'must have a name of at most 150 characters'
    : onOneLine(sender.name);
}

export function templateProblems(template: InvitationTemplateSet): readonly TemplateProblem[] {
  const { subject, text, html } = template;
  const found = [
    ['sender', senderProblem(template)],
    ['subject', textProblem('subject', subject) ?? onOneLine(subject)],
    ['text', textProblem('text', text) ?? linkProblem(text)],
    ['html', textProblem('html', html) ?? linkProblem(html) ?? htmlProblem(html)],
  ] as const;
  return found.flatMap(([part, problem]) => (problem === undefined ? [] : [{ part, problem }]));
}
