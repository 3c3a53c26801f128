import { safeParse } from 'secure-json-parse';
import {
  isAbsent,
  isArray,
  isObject,
  type JsonObject,
  type Report,
  shownName,
} from '@rollcall/employee-lists/text';
import { isPositiveId } from './read-texts.js';
import { unquoteEnabledLanguages } from './unquoted-languages.js';

const frequencies: ReadonlySet<unknown> = new Set(['Hourly', 'Monthly', 'Quarterly', 'Continuous']);
const root = 'SurveySelectionRule';

/** Null for no JSON object, or a member that would reach a prototype. */
function parseDocument(text: string): JsonObject | null {
  const strict: unknown = safeParse(text);
  const parsed: unknown = strict === undefined ? safeParse(unquoteEnabledLanguages(text) ?? '') : strict;
  return isObject(parsed) ? parsed : null;
}

function checkLanguage(value: unknown, path: string, report: Report): void {
  if (!isObject(value)) {
    report(`${path} must be an object with id, label and code`);
    return;
  }
  const { id, label, code } = value;
  if (!isPositiveId(id)) report(`${path}.id must be a positive integer`);
  if (typeof label !== 'string') report(`${path}.label must be a string`);
  if (typeof code !== 'string') report(`${path}.code must be a string`);
}

function checkLanguages(value: unknown, report: Report): void {
  if (isAbsent(value)) return;
  const path = `${root}.EnabledLanguages`;
  const list: unknown = typeof value === 'string' ? safeParse(value) : value;
  if (isArray(list)) list.forEach((language, at) => checkLanguage(language, `${path}[${at}]`, report));
  else report(`${path} must be an array of languages, or a string that holds one`);
}

function checkFilters(rule: JsonObject, member: 'Filters' | 'Filter', report: Report): void {
  const value = rule[member];
  if (isAbsent(value)) return;
  if (!isObject(value)) {
    report(`${root}.${member} must be an object that maps filter names to strings`);
    return;
  }
  for (const [name, filter] of Object.entries(value))
    if (typeof filter !== 'string') report(`${root}.${member}.${shownName(name)} must be a string`);
}

/**
 * Checks a SurveySelectionRule (docs/contract, "SurveySelectionRule"): members are optional,
 * unknown ones ignored, `Filter` means `Filters`. Unescaped quotes inside the EnabledLanguages string are accepted.
 */
export function checkSelectionRule(text: string, report: Report): void {
  const document = parseDocument(text);
  if (document === null) {
    const more = text.includes('proto') ? ', without __proto__ and constructor.prototype' : '';
    report(`${root} must be a string that holds a JSON object${more}`);
    return;
  }
  const { Frequency, EnabledLanguages } = document;
  if (!isAbsent(Frequency) && !frequencies.has(Frequency))
    report(`${root}.Frequency must be Hourly, Monthly, Quarterly or Continuous`);
  checkLanguages(EnabledLanguages, report);
  checkFilters(document, 'Filters', report);
  checkFilters(document, 'Filter', report);
}
