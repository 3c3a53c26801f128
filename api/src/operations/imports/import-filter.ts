import { importStates, startOfDay, startOfNextDay } from '@rollcall/application';
import type { FormProblem } from '../frame/forms.js';

interface FilterScope {
  /** Of a company's operator; undefined: the filter chooses. */
  readonly companyId: number | undefined;
  /** Of the companies that the operator sees. */
  readonly ids: readonly string[];
  /** In which `from` and `to` are days. */
  readonly timeZone: string;
  readonly today: string;
}

export type QueryTexts = Readonly<Record<string, string>>;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const isOperationId = (text: string): boolean => uuid.test(text);

const textIn = (texts: QueryTexts, name: string): string | undefined => {
  const text = texts[name]?.trim() ?? '';
  return text === '' ? undefined : text;
};

/** The list's address: `company`, `state`, `user`, `from` and `to` (days, both included), `after` (cursor). */
export function readFilter(texts: QueryTexts, scope: FilterScope, limit: number) {
  const problems: FormProblem[] = [];
  const chosen = <T extends string>(field: string, of: readonly T[], text: string): T | undefined => {
    const named = textIn(texts, field);
    const found = of.find((each) => each === named);
    if (found !== named) problems.push({ field, text });
    return found;
  };
  const moment = (name: 'from' | 'to', read: typeof startOfDay): number | undefined => {
    const text = textIn(texts, name);
    if (text === undefined) return undefined;
    const at = read(text === 'today' ? scope.today : text, scope.timeZone);
    if (Number.isNaN(at)) problems.push({ field: name, text: 'Write a day as 2026-11-25' });
    return Number.isNaN(at) ? undefined : at;
  };
  const query = {
    companyId: numberIn(chosen('company', scope.ids, 'No company has this id')) ?? scope.companyId,
    state: chosen('state', importStates, 'Choose a state of the list'),
    user: textIn(texts, 'user'),
    from: moment('from', startOfDay),
    to: moment('to', startOfNextDay),
    before: uuid.exec(textIn(texts, 'after') ?? '')?.[0].toLowerCase(),
    limit,
  };
  if ((query.from ?? 0) >= (query.to ?? Infinity)) problems.push({ field: 'to', text: 'Choose a later day' });
  return { query, problems };
}

export const numberIn = (text = ''): number | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
