import {
  type EmployeeField,
  type EmployeeFieldKind,
  employeeFields,
  type EmployeeValues,
  isMirroredField,
  patterns,
} from '@rollcall/contracts';
import { isObject, type JsonObject, shownName } from '../json/json-shapes.js';
import { isBlank, isLongerThan } from '../text/code-points.js';
import { isBirthday, isUtcDate, utcDateRule } from '../text/dates.js';
import { isEmailAddress, maxEmailLength } from '../text/emails.js';
import { isPhoneNumber } from '../text/phones.js';
import {
  type FieldName,
  fieldNames,
  maxDimensionNameLength,
  maxDimensions,
  maxDimensionValueLength,
} from './fields.js';

type Draft = { -readonly [N in FieldName]?: EmployeeValues[N] | undefined };

export interface EmployeeReading {
  /** Complete if `problems` is empty, else the valid part. */
  readonly values: Readonly<Draft>;
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
