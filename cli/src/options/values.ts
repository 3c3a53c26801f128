import { auditParts, type AuditPart, callTermPattern, type Moment } from '@rollcall/application';
import {
  catalogue,
  isEventName,
  webhookTypes as allWebhookTypes,
  type EventName,
  type Language,
  type WebhookType,
} from '@rollcall/contracts';
import { apiUsers, webhooks } from '@rollcall/domain';
import {
  isBlank,
  isEmailAddress,
  isLocalDate,
  isLongerThan,
  isStorable,
  isUtcDate,
} from '@rollcall/employee-lists/text';
import { InvalidArgumentError } from 'commander';

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const longestLifetime = 3660 * 86_400;

function wrong(rule: string): never {
  throw new InvalidArgumentError(rule);
}

/** Rows of a list without `--top`. */
export const usualTop = 20;

const parts = (text: string): string[] => text.split(',').map((part) => part.trim());
const split = (text: string): string[] => (isBlank(text) ? [] : parts(text));

export function positiveInteger(text: string): number {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(number) ? number : wrong('It must be an integer from 1 to 9007199254740991.');
}

const fromZero =
  (what: string) =>
  (text: string): number =>
    /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : wrong(`It must be ${what}, from 0 on.`);

export const revision = fromZero('a revision');
export const count = fromZero('a number');

const isRevision = (text: string): boolean => /^\d{1,15}$/.test(text);

/** A revision, or a day or moment as `from` and `to` read it. */
export const fromMoment = (text: string): Moment =>
  isRevision(text) ? { revision: revision(text) } : { at: from(text) };
export const toMoment = (text: string): Moment =>
  isRevision(text) ? { revision: revision(text) } : { at: to(text) };

export function auditPartNames(text: string): AuditPart[] {
  const known = auditParts.filter((part) => split(text).includes(part));
  return known.length > 0 && known.length === split(text).length
    ? known
    : wrong(`It must be some of ${auditParts.join(',')}.`);
}

const uuid =
  (rule: string) =>
  (text: string): string =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : wrong(rule);

export const operationId = uuid(
  'It must be an ApiOperationId, such as 019aa2f0-5c00-7000-8000-000000000001.',
);

export const eventId = uuid('It must be the id of an event, such as 0d4f7e52-9f0c-5b1e-8a3e-2f6f1f0e9a77.');

const isWebhookType = (text: string): text is WebhookType => allWebhookTypes.some((type) => type === text);

export function webhookUrl(text: string): string {
  const problem = webhooks.urlProblem(text);
  return problem === undefined ? text : wrong(`It ${problem}.`);
}

export function webhookTypes(text: string): readonly WebhookType[] {
  const types = split(text);
  if (types.length > 0 && types.every(isWebhookType)) return types;
  return wrong(`It must be some of ${allWebhookTypes.join(', ')}, separated by commas.`);
}

export const onOrOff = (text: string): boolean =>
  text === 'on' || text === 'off' ? text === 'on' : wrong('It must be on or off.');

/** Commander turns null into an empty text. */
export const positiveIntegerOrNone = (text: string): number | 'none' => {
  if (text === 'none') return text;
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : wrong('It must be a positive integer, or none.');
};

export const percentOrNone = (text: string): number | 'none' => {
  if (text === 'none') return text;
  return /^\d{1,9}(\.\d{1,9})?$/.test(text)
    ? Number(text)
    : wrong('It must be a percentage such as 25, or none.');
};

function dayRange(part: string): number[] {
  const [from, to = from, ...more] = part.toLowerCase().split('-');
  const first = days.indexOf(from ?? '');
  const last = days.indexOf(to ?? '');
  if (first < 0 || last < 0 || more.length > 0)
    return wrong('It must be days such as Mon-Fri or Mon,Wed,Sat, or none.');
  const length = ((last - first + 7) % 7) + 1;
  return Array.from({ length }, (_, step) => ((first + step) % 7) + 1);
}

/** `Mon-Fri`, `Sun-Thu`, `Mon,Wed-Fri`, `none`: ISO days, ascending. */
export function businessDays(text: string): number[] {
  if (text === 'none') return [];
  return [...new Set(parts(text).flatMap(dayRange))].sort((one, other) => one - other);
}

/** `08:00-17:00`. */
export function businessHours(text: string): { from: string; to: string } {
  const match = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text);
  if (!match) return wrong('It must be two times such as 08:00-17:00.');
  return { from: match[1] ?? '', to: match[2] ?? '' };
}

/** `2026-12-24,2026-12-25`, `none`: ascending, each once. */
export function localDates(text: string): string[] {
  const dates = text === 'none' ? [] : parts(text);
  return dates.every(isLocalDate)
    ? [...new Set(dates)].sort()
    : wrong('It must be dates such as 2026-12-24,2026-12-25 that exist, or none.');
}

/** `Department,Team`; an empty text for none. */
export const names = (text: string): string[] => {
  const given = split(text);
  return given.includes('') ? wrong('It must be names with commas between them.') : given;
};

function language(text: string): Language {
  const [id = '', code = '', label = '', ...more] = text.split(':').map((part) => part.trim());
  if (!/^[1-9]\d{0,15}$/.test(id) || code === '' || label === '' || more.length > 0)
    return wrong('It must be languages such as 1045:en:English,1041:da:Danish, or none.');
  return { id: positiveInteger(id), label, code };
}

/** `1045:en:English,1041:da:Danish`: id, code, label; `none`. */
export const languages = (text: string): Language[] => (text === 'none' ? [] : parts(text).map(language));

/** `365d` and the like (s, min, h, d, w), at most ten years; in seconds. */
export function lifetime(text: string): number {
  const match = /^([1-9]\d{0,9})([smhdw])$/.exec(text);
  const seconds = Number(match?.[1]) * (unitSeconds[match?.[2] ?? ''] ?? NaN);
  return seconds <= longestLifetime
    ? seconds
    : wrong('It must be a time such as 365d, 12h or 30m, of ten years at most.');
}

export const daysOrAll = (text: string): string =>
  new RegExp(callTermPattern).test(text) ? text : wrong('It must be a number of days such as 400d, or all.');

export const addressOrOff = (text: string): string =>
  text === 'off' || isEmailAddress(text) ? text : wrong('It must be an e-mail address, or off.');

/** A UTC moment in ms: the start of a day, or as given. */
export const from = (text: string): string => moment(text, 'T00:00:00.000Z', '.000');

/** The same, at the last millisecond of the day or second. */
export const to = (text: string): string => moment(text, 'T23:59:59.999Z', '.999');

function moment(text: string, ofDay: string, ofSecond: string): string {
  if (isLocalDate(text)) return `${text}${ofDay}`;
  if (!isUtcDate(text))
    return wrong('It must be a day such as 2026-11-21, or a moment such as 2026-11-21T08:00:00Z.');
  return text.includes('.') ? new Date(text).toISOString() : text.replace('Z', `${ofSecond}Z`);
}

export function eventNames(text: string): EventName[] {
  const given = split(text);
  if (given.length === 0) return wrong('It must be event types with commas between them.');
  const known = Object.keys(catalogue).join(', ');
  return given.map((name) =>
    isEventName(name) ? name : wrong(`There is no event type ${JSON.stringify(name)}, only ${known}.`),
  );
}

export const reason = (text: string): string => {
  if (isBlank(text)) return wrong('It must say why.');
  if (isLongerThan(text, 500)) return wrong('It must be at most 500 characters.');
  return isStorable(text) ? text : wrong('It must be text without control character 0.');
};

export const path = (text: string): string =>
  isBlank(text) || text.includes('\0') ? wrong('It must be a path.') : text;

export const paths = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  path(text),
];

export function userName(text: string): string {
  const command = { kind: 'add', companyId: 1, name: text, roles: [] } as const;
  const decision = apiUsers.decide(command, apiUsers.initialState());
  const problem =
    decision.kind === 'refused' && decision.rejection.reason === 'name-invalid' && decision.rejection.problem;
  return problem ? wrong(`It ${problem}.`) : text;
}

export const tokenId = (text: string): string =>
  apiUsers.decide({ kind: 'revoke-token', jti: text }, apiUsers.initialState()).kind === 'refused'
    ? wrong('It must be the id of a token, of at most 255 characters.')
    : text;

export const employeeId = (text: string): string =>
  isBlank(text) ? wrong('It must be an EmployeeID.') : text;

/** Of processes, accumulated; no trailing slash. */
export function addresses(text: string, before: readonly string[] = []): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  return isOrigin
    ? [...before, url.origin]
    : wrong('It must be the address of a process, such as http://api:9464.');
}

export const companyOrAll = (text: string): number | 'all' => (text === 'all' ? text : positiveInteger(text));
