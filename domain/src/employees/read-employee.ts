import { codes, type EmployeeValues, patterns } from '@rollcall/contracts';
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
  mirroredFields,
  textRules,
} from './fields.js';

type Draft = { -readonly [N in FieldName]?: EmployeeValues[N] | undefined };

/** What a body's element says, and every problem with it. */
export interface EmployeeReading {
  /** Complete where `problems` is empty; else as far as it is valid. */
  readonly values: Readonly<Draft>;
  /** One message for each missing or wrong field, without the position of the element. No value is ever repeated. */
  readonly problems: readonly string[];
  /** Names that have no place among the fields. */
  readonly ignored: readonly string[];
}

const given = (value: unknown): boolean => value !== undefined && value !== null;

function textProblem(name: keyof typeof textRules, value: unknown): string | null {
  const rule = textRules[name];
  if (!given(value)) return rule.required ? `${name} is required` : null;
  if (typeof value !== 'string') return `${name} must be a string`;
  if (rule.required && isBlank(value)) return `${name} must not be blank`;
  return isLongerThan(value, rule.maxLength) ? `${name} must be at most ${rule.maxLength} characters` : null;
}

const codeProblem =
  (name: FieldName, known: readonly number[], required: boolean) =>
  (value: unknown): string | null => {
    if (!given(value)) return required ? `${name} is required` : null;
    if (typeof value === 'number' && known.includes(value)) return null;
    return `${name} must be ${known.slice(0, -1).join(', ')} or ${known.at(-1) ?? ''}, as a number`;
  };

const patternProblem =
  (name: FieldName, isValid: (text: string) => boolean, rule: (value: unknown) => string) =>
  (value: unknown): string | null => {
    if (!given(value)) return name === 'Email' ? `${name} is required` : null;
    return typeof value === 'string' && isValid(value) ? null : `${name} ${rule(value)}`;
  };

const simpleProblems: Record<Exclude<FieldName, 'Dimensions'>, (value: unknown) => string | null> = {
  EmployeeID: (value) => textProblem('EmployeeID', value),
  Firstname: (value) => textProblem('Firstname', value),
  Lastname: (value) => textProblem('Lastname', value),
  Phonenumber: patternProblem('Phonenumber', isPhoneNumber, () => `must match ${patterns.phone}`),
  Email: patternProblem(
    'Email',
    isEmailAddress,
    () => `must be a valid e-mail address of at most ${maxEmailLength} characters`,
  ),
  Gender: codeProblem('Gender', Object.values(codes.gender), false),
  EmploymentStatus: codeProblem('EmploymentStatus', Object.values(codes.employmentStatus), true),
  Birthday: patternProblem('Birthday', isBirthday, (value) => `${utcDateRule(value)} or yyyy-MM-dd`),
  JobTitle: (value) => textProblem('JobTitle', value),
  Department: (value) => textProblem('Department', value),
  Role: (value) => textProblem('Role', value),
  ImmediateManager: (value) => textProblem('ImmediateManager', value),
  InvitationDate: patternProblem('InvitationDate', isUtcDate, utcDateRule),
};

const isMirrored = (name: string): name is (typeof mirroredFields)[number] =>
  mirroredFields.some((mirrored) => mirrored === name);

function dimensionProblem(name: string, value: unknown, members: JsonObject): string | null {
  if (isBlank(name)) return 'Dimensions must have names that are not blank';
  const place = `Dimensions.${shownName(name)}`;
  if (isLongerThan(name, maxDimensionNameLength))
    return `${place}: the name must be at most ${maxDimensionNameLength} characters`;
  if (typeof value !== 'string') return `${place} must be a string`;
  if (isMirrored(name)) return value === members[name] ? null : `${place} must equal ${name}, or be left out`;
  if (!isLongerThan(value, maxDimensionValueLength)) return null;
  return `${place} must be at most ${maxDimensionValueLength} characters`;
}

/** Checks the Dimensions and keeps those that are stored; undefined where none is. */
function readDimensions(members: JsonObject, problems: string[]): Record<string, string> | undefined {
  const dimensions = members['Dimensions'];
  if (!given(dimensions)) return undefined;
  if (!isObject(dimensions)) {
    problems.push('Dimensions must be an object of strings');
    return undefined;
  }
  const present = Object.entries(dimensions).filter(([, value]) => given(value));
  if (present.filter(([name]) => !isMirrored(name)).length > maxDimensions) {
    problems.push(`Dimensions must have at most ${maxDimensions} names`);
    return undefined;
  }
  for (const [name, value] of present) {
    const problem = dimensionProblem(name, value, members);
    if (problem !== null) problems.push(problem);
  }
  const kept = present.filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !isMirrored(entry[0]),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * Reads one element of the employee array by every rule of interface.md ("Employee", "Limits") and of docs/contract
 * ("Employees"). Unknown members are ignored, null is absent.
 */
export function readEmployee(element: unknown): EmployeeReading {
  if (!isObject(element)) return { values: {}, problems: ['must be an object'], ignored: [] };
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const name of fieldNames) {
    if (name === 'Dimensions') {
      const dimensions = readDimensions(element, problems);
      if (dimensions !== undefined) values[name] = dimensions;
      continue;
    }
    const problem = simpleProblems[name](element[name]);
    if (problem !== null) problems.push(problem);
    else if (given(element[name])) values[name] = element[name];
  }
  const known: readonly string[] = fieldNames;
  return { values, problems, ignored: Object.keys(element).filter((name) => !known.includes(name)) };
}

/** Whether a reading without problems is complete: a guard for the type, `readEmployee` holds it. */
export function isComplete(
  reading: EmployeeReading,
): reading is EmployeeReading & { readonly values: EmployeeValues } {
  return reading.problems.length === 0;
}
