import { isBlank, isLongerThan, isStorable } from '../text/code-points.js';
import { isAbsent, isObject, type Report, shownName } from '../json/json-shapes.js';
import { isPositiveId, maxTextLength } from './limits.js';

/** From a language id, written as a string, to the text in that language. */
export type Texts = Readonly<Record<string, string>>;

const isLanguageId = (key: string): boolean => /^[1-9]\d*$/.test(key) && isPositiveId(Number(key));

/** The rule that a text breaks, or null. */
function brokenTextRule(text: unknown): string | null {
  if (typeof text !== 'string') return 'must be a string';
  if (text === '') return 'must not be empty';
  if (isBlank(text)) return 'must not be blank';
  if (isLongerThan(text, maxTextLength)) return `must have at most ${maxTextLength} characters`;
  return isStorable(text) ? null : 'must not contain NUL or half a surrogate pair';
}

function readText(path: string, [key, text]: readonly [string, unknown], report: Report): [string, string][] {
  const place = `${path}.${shownName(key)}`;
  const broken = brokenTextRule(text);
  if (!isLanguageId(key)) report(`${place} must be named by a language id, a positive integer`);
  if (broken !== null) report(`${place} ${broken}`);
  return isLanguageId(key) && typeof text === 'string' ? [[key, text]] : [];
}

/** Reads a map of texts and reports every problem in it; a text that could not be read is left out. */
export function readTexts(value: unknown, path: string, report: Report): Texts {
  if (isAbsent(value)) report(`${path} is required`);
  else if (!isObject(value)) report(`${path} must be an object that maps language ids to texts`);
  else {
    const entries = Object.entries(value);
    if (entries.length === 0) report(`${path} must contain at least one language`);
    return Object.fromEntries(entries.flatMap((entry) => readText(path, entry, report)));
  }
  return {};
}

/** Two maps with the same texts give the same string, whatever the order of their members. */
export const textsFingerprint = (texts: Texts): string =>
  JSON.stringify(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));
