import { employeeFields, type ProblemDetails, type ProblemEntryCode } from '@rollcall/contracts';

type Entry = NonNullable<ProblemDetails['errors']>[number];

/** The first that fits a text of `ValidationErrors`; the texts are the contract, the codes follow from them. */
const rules: readonly (readonly [RegExp, ProblemEntryCode])[] = [
  [/^(?:\.\.\. )?and \d+ more$/, 'more'],
  [/^Company integration is not allowed/, 'integration-off'],
  [/^The batch limit was exceeded/, 'batch-limit'],
  [/ is required\b/, 'required'],
  [/not valid JSON|there is .* at byte \d+$/, 'json-syntax'],
  [/ the same |must differ from|stands twice|must not repeat/, 'not-unique'],
  [/valid e-mail address|must match|must be in UTC|must be a date/, 'format'],
  [/at most \d+ (?:characters|bytes)/, 'too-long'],
  [/(?:have|name|leave|be) at most \d+/, 'too-many'],
  [/must not be (?:blank|empty)|not blank$|at least one|is empty\b/, 'blank'],
  [/is unknown\b|unknown (?:query )?parameter/i, 'unknown'],
  [/must be (?:\d|one of|Hourly|absent)|must not be true|must equal|cannot change/, 'not-allowed'],
  [/must be (?:an? |true or false)|must be a string/, 'type'],
];

const employee = new RegExp(
  `^\\[(?<at>\\d+)\\](?: EmployeeID '(?<id>.*?)')?: (?<rest>(?:${Object.keys(employeeFields).join('|')}|must|there)\\b.*)$`,
  's',
);
/** Names from outside may be cut or hold anything: the path ends before them. */
const path =
  /^(?:The body(?= )|\[\d+\]|\p{Lu}[\p{L}\d]*(?=[ .:[]))(?:\[\d+\]|\.[\p{L}\d_-]+(?=[.:[]| (?:must|is|needs)\b))*/u;

const pointerOf = (text: string): string =>
  text
    .replace(/^The body/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^(?=[^.])/, '.')
    .replaceAll('.', '/');

const isField = (text: string): boolean => !/^(?:Query|Company|The (?!body))/.test(text);

function pointerIn(text: string): string | undefined {
  const found = isField(text) ? path.exec(text)?.[0] : undefined;
  return found === undefined ? undefined : pointerOf(found);
}

/** Of a rule about the element itself, the element. */
function pointerWithin(element: string, rest: string): string {
  const isOfElement = rest.startsWith('must') || rest.startsWith('there');
  return `/${element}${isOfElement ? '' : (pointerIn(rest) ?? '')}`;
}

/** One text of `ValidationErrors`, taken apart: RFC 6901 pointer into the body, stable code, EmployeeID. */
export function problemEntry(detail: string): Entry {
  const { at, id, rest = detail } = employee.exec(detail)?.groups ?? {};
  const code = rules.find(([pattern]) => pattern.test(rest))?.[1] ?? 'invalid';
  const pointer = at === undefined ? pointerIn(detail) : pointerWithin(at, rest);
  const known = Object.entries({ pointer, employeeId: id }).filter(([, value]) => value !== undefined);
  return { code, detail, ...Object.fromEntries(known) };
}
