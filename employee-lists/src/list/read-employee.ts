import {
  type EmployeeField,
  type EmployeeFieldKind,
  employeeFields,
  type EmployeeValues,
  isMirroredField,
  patterns,
  employeeFieldNames,
  type EmployeeFieldName,
  limits,
} from '@rollcall/contracts';
import { isObject, type JsonObject, shownName } from '../json/json-shapes.js';
import { isBlank, isLongerThan, isEmailAddress, maxEmailLength, isPhoneNumber } from '../text/rules.js';
import { isBirthday, isUtcDate, utcDateRule, canonicalUtcDate } from '../text/dates.js';

export type FieldName = EmployeeFieldName;

/** In stored order. */
export const fieldNames = employeeFieldNames;

const field = Object.freeze(Object.fromEntries(fieldNames.map((name, index) => [name, index]))) as Readonly<
  Record<FieldName, number>
>;

/** Reporting fields that GET shows among the Dimensions; callers may send them back there. */
export const mirroredFields = fieldNames.filter(isMirroredField);

export const maxDimensionValueLength = limits.employee.dimensionValue;
export const maxDimensionNameLength = limits.employee.dimensionName;
/** Per employee, without the mirrored fields (docs/contract, "Dimensions"). */
export const maxDimensions = limits.employee.dimensions;

export interface EmployeeReading {
  /** Complete if `problems` is empty, else the valid part. */
  readonly values: Readonly<{ -readonly [N in FieldName]?: EmployeeValues[N] | undefined }>;
  /** One per missing or wrong field. Never contains a value. */
  readonly problems: readonly string[];
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

function textProblem(value: unknown, { required, maxLength = 0 }: EmployeeField): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (required && isBlank(value)) return 'must not be blank';
  return isLongerThan(value, maxLength) ? `must be at most ${maxLength} characters` : null;
}

function codeProblem(value: unknown, { codes = {} }: EmployeeField): string | null {
  const known = Object.values(codes);
  if (typeof value === 'number' && known.includes(value)) return null;
  return `must be ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, as a number`;
}

const textOf = (isValid: (text: string) => boolean, rule: (value: unknown) => string) => (value: unknown) =>
  typeof value === 'string' && isValid(value) ? null : rule(value);

const problemOf: Readonly<
  Record<Exclude<EmployeeFieldKind, 'dimensions'>, (value: unknown, field: EmployeeField) => string | null>
> = {
  text: textProblem,
  email: textOf(
    isEmailAddress,
    () => `must be a valid e-mail address of at most ${maxEmailLength} characters`,
  ),
  phone: textOf(isPhoneNumber, () => `must match ${patterns.phone}`),
  code: codeProblem,
  birthday: textOf(isBirthday, (value) => `${utcDateRule(value)} or yyyy-MM-dd`),
  date: textOf(isUtcDate, utcDateRule),
};

function simpleProblem(name: Exclude<FieldName, 'Dimensions'>, value: unknown): string | null {
  const rule: EmployeeField & { kind: keyof typeof problemOf } = employeeFields[name];
  if (!given(value)) return rule.required ? `${name} is required` : null;
  const problem = problemOf[rule.kind](value, rule);
  return problem === null ? null : `${name} ${problem}`;
}

function dimensionProblem(name: string, value: unknown, members: JsonObject): string | null {
  if (isBlank(name)) return 'Dimensions must have names that are not blank';
  const place = `Dimensions.${shownName(name)}`;
  if (isLongerThan(name, maxDimensionNameLength))
    return `${place}: the name must be at most ${maxDimensionNameLength} characters`;
  if (typeof value !== 'string') return `${place} must be a string`;
  if (isMirroredField(name))
    return value === members[name] ? null : `${place} must equal ${name}, or be left out`;
  if (!isLongerThan(value, maxDimensionValueLength)) return null;
  return `${place} must be at most ${maxDimensionValueLength} characters`;
}

function readDimensions(members: JsonObject, problems: string[]): Record<string, string> | undefined {
  const dimensions = members['Dimensions'];
  if (!given(dimensions)) return undefined;
  if (!isObject(dimensions)) {
    problems.push('Dimensions must be an object of strings');
    return undefined;
  }
  const present = Object.entries(dimensions).filter(([, value]) => given(value));
  if (present.filter(([name]) => !isMirroredField(name)).length > maxDimensions) {
    problems.push(`Dimensions must have at most ${maxDimensions} names`);
    return undefined;
  }
  for (const [name, value] of present) {
    const problem = dimensionProblem(name, value, members);
    if (problem !== null) problems.push(problem);
  }
  const kept = present.filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !isMirroredField(entry[0]),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Rules: interface.md ("Employee", "Limits"), docs/contract ("Employees"). Ignores unknown members; null is absent. */
export function readEmployee(element: unknown): EmployeeReading {
  if (!isObject(element)) return { values: {}, problems: ['must be an object'] };
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const name of fieldNames) {
    if (name === 'Dimensions') {
      const dimensions = readDimensions(element, problems);
      if (dimensions !== undefined) values[name] = dimensions;
      continue;
    }
    const problem = simpleProblem(name, element[name]);
    if (problem !== null) problems.push(problem);
    else if (given(element[name])) values[name] = element[name];
  }
  return { values, problems };
}

/** A type guard: `readEmployee` guarantees it. */
export function isComplete(
  reading: EmployeeReading,
): reading is EmployeeReading & { readonly values: EmployeeValues } {
  return reading.problems.length === 0;
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function dimensionsText(dimensions: Readonly<Record<string, string>>): string {
  const names = Object.keys(dimensions).sort(byCodeUnit);
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(dimensions[name])}`).join(',')}}`;
}

function memberTexts(values: EmployeeValues): string[] {
  const members: string[] = [];
  for (const name of fieldNames) {
    const value = values[name];
    if (value === undefined) continue;
    members.push(`"${name}":${typeof value === 'object' ? dimensionsText(value) : JSON.stringify(value)}`);
  }
  return members;
}

/** The stored values: members in the order of `fieldNames`, Dimensions sorted by code unit. */
export const valuesText = (values: EmployeeValues): string => `{${memberTexts(values).join(',')}}`;

/** The stored values of an employee who was present before (docs/contract, "Values replaced"). */
export function withoutInvitationDate(values: EmployeeValues): EmployeeValues {
  const copy = { ...values };
  delete copy.InvitationDate;
  return copy;
}

/** Begins a field. 0xFF and 0xFE never occur in UTF-8, so no text can look like a boundary. */
const fieldMark = 0xff;
/** Between the name and the value of a dimension. */
const nameMark = 0xfe;

function canonicalFields(values: EmployeeValues): [index: number, text: string][] {
  const parts: [number, string][] = [];
  fieldNames.forEach((name, index) => {
    const value = name === 'InvitationDate' ? undefined : values[name];
    if (value === undefined || typeof value === 'object') return;
    parts.push([index, name === 'Birthday' ? canonicalUtcDate(String(value)) : String(value)]);
  });
  return parts;
}

/**
 * The digested form: for each stored field but `InvitationDate` a mark, its index in `fieldNames` and its text in UTF-8;
 * then per dimension, sorted by code unit, a mark, the index of `Dimensions`, name, mark, value. Absent and null are the
 * same because neither is stored, and so are `.000Z` and `Z`. No Unicode normalisation.
 */
export function canonicalBytes(values: EmployeeValues): Buffer {
  const parts: Uint8Array[] = [];
  for (const [index, text] of canonicalFields(values))
    parts.push(Uint8Array.of(fieldMark, index), Buffer.from(text));
  const dimensions = Object.entries(values.Dimensions ?? {}).sort(([a], [b]) => byCodeUnit(a, b));
  for (const [name, value] of dimensions) {
    parts.push(
      Uint8Array.of(fieldMark, field.Dimensions),
      Buffer.from(name),
      Uint8Array.of(nameMark),
      Buffer.from(value),
    );
  }
  return Buffer.concat(parts);
}
