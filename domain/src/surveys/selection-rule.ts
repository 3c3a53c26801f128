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

interface RuleLanguage {
  readonly id: number;
  readonly label: string;
  readonly code: string;
}

/** Known members; null or empty where absent. */
interface SelectionRule {
  readonly frequency: string | null;
  readonly enabledLanguages: readonly RuleLanguage[] | null;
  readonly filters: Readonly<Record<string, string>>;
}

type ParsedSelectionRule =
  | { readonly ok: true; readonly rule: SelectionRule }
  | { readonly ok: false; readonly problems: readonly string[] };

const frequencies: ReadonlySet<unknown> = new Set(['Hourly', 'Monthly', 'Quarterly', 'Continuous']);
const root = 'SurveySelectionRule';

/** Undefined for invalid JSON, or a member that would reach a prototype. */
function parseJson(text: string): unknown {
  try {
    return safeParse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function parseDocument(text: string): JsonObject | null {
  const strict = parseJson(text);
  if (strict !== undefined) return isObject(strict) ? strict : null;
  const mended = unquoteEnabledLanguages(text);
  const parsed = mended === null ? undefined : parseJson(mended);
  return isObject(parsed) ? parsed : null;
}

function readFrequency(value: unknown, report: Report): string | null {
  if (isAbsent(value)) return null;
  if (typeof value === 'string' && frequencies.has(value)) return value;
  report(`${root}.Frequency must be Hourly, Monthly, Quarterly or Continuous`);
  return null;
}

function readLanguage(value: unknown, path: string, report: Report): RuleLanguage[] {
  if (!isObject(value)) {
    report(`${path} must be an object with id, label and code`);
    return [];
  }
  const { id, label, code } = value;
  if (!isPositiveId(id)) report(`${path}.id must be a positive integer`);
  if (typeof label !== 'string') report(`${path}.label must be a string`);
  if (typeof code !== 'string') report(`${path}.code must be a string`);
  return isPositiveId(id) && typeof label === 'string' && typeof code === 'string'
    ? [{ id, label, code }]
    : [];
}

function readLanguages(value: unknown, report: Report): readonly RuleLanguage[] | null {
  if (isAbsent(value)) return null;
  const path = `${root}.EnabledLanguages`;
  const list = typeof value === 'string' ? parseJson(value) : value;
  if (isArray(list)) return list.flatMap((language, at) => readLanguage(language, `${path}[${at}]`, report));
  report(`${path} must be an array of languages, or a string that holds one`);
  return null;
}

function readFilters(rule: JsonObject, member: 'Filters' | 'Filter', report: Report): [string, string][] {
  const value = rule[member];
  if (isAbsent(value)) return [];
  if (!isObject(value)) {
    report(`${root}.${member} must be an object that maps filter names to strings`);
    return [];
  }
  return Object.entries(value).flatMap(([name, filter]): [string, string][] => {
    if (typeof filter === 'string') return [[name, filter]];
    report(`${root}.${member}.${shownName(name)} must be a string`);
    return [];
  });
}

/**
 * Parses a SurveySelectionRule (docs/contract, "SurveySelectionRule"): members are optional,
 * unknown ones ignored, `Filter` means `Filters`. Unescaped quotes inside the EnabledLanguages string are accepted.
 */
export function parseSelectionRule(text: string): ParsedSelectionRule {
  const document = parseDocument(text);
  if (document === null) {
    const more = text.includes('proto') ? ', without __proto__ and constructor.prototype' : '';
    return { ok: false, problems: [`${root} must be a string that holds a JSON object${more}`] };
  }
  const problems: string[] = [];
  const report: Report = (problem) => problems.push(problem);
  const frequency = readFrequency(document['Frequency'], report);
  const enabledLanguages = readLanguages(document['EnabledLanguages'], report);
  const filters = [...readFilters(document, 'Filters', report), ...readFilters(document, 'Filter', report)];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, rule: { frequency, enabledLanguages, filters: Object.fromEntries(filters) } };
}
