import { codes } from '@rollcall/contracts';
import {
  canonicalUtcDate,
  isLongerThan,
  isAbsent,
  isArray,
  isObject,
  type JsonObject,
  type Report,
} from '@rollcall/employee-lists/text';
import { isQuestionType, maxAnswerOptions, maxKeyLength, readTexts, type Texts } from './read-texts.js';

/** A create takes no keys and deletes nothing. */
export type SurveyCall = 'create' | 'update';

export interface OptionSent {
  /** For problems: `Questions[1].AnswerOptions[0]`. */
  readonly path: string;
  /** null: to be inserted. */
  readonly key: string | null;
  readonly deleted: boolean;
  readonly texts: Texts;
}

export interface QuestionSent extends OptionSent {
  /** null where unreadable, or absent in a question to be deleted. */
  readonly type: number | null;
  readonly options: readonly OptionSent[];
}

interface ElementContext {
  readonly path: string;
  readonly call: SurveyCall;
  readonly report: Report;
}

function readKey(
  value: unknown,
  member: 'Key' | 'LabelKey',
  { path, call, report }: ElementContext,
): string | null {
  if (isAbsent(value)) return null;
  const named = `${path}.${member}`;
  if (call === 'create')
    report(`${named} must be absent in a new survey; an existing one is changed by /survey/Update`);
  else if (typeof value !== 'string' || value === '') report(`${named} must be a string that is not empty`);
  else if (isLongerThan(value, maxKeyLength)) report(`${named} must have at most ${maxKeyLength} characters`);
  else return value;
  return null;
}

function readDeleted(
  value: unknown,
  member: 'Key' | 'LabelKey',
  source: JsonObject,
  context: ElementContext,
): boolean {
  const path = `${context.path}.Deleted`;
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') context.report(`${path} must be true or false`);
  else if (value && context.call === 'create')
    context.report(`${path} must not be true in a new survey; /survey/Update takes it`);
  else if (value && isAbsent(source[member])) context.report(`${path} must not be true without a ${member}`);
  return value === true && context.call === 'update';
}

function readType(question: JsonObject, deleted: boolean, { path, report }: ElementContext): number | null {
  const { member, value } = eitherMember(question, ['Type', 'StepType'], { prefix: `${path}.`, report });
  if (isQuestionType(value)) return value;
  if (!isAbsent(value)) {
    report(
      `${path}.${member} must be 1 (cover page), 2 (answer options), 3 (text answer), 4 (body question) or 99 (thank-you page)`,
    );
  } else if (!deleted) report(`${path}.Type is required`);
  return null;
}

function readOption(value: unknown, context: ElementContext): OptionSent {
  const { path, report } = context;
  if (!isObject(value)) {
    report(`${path} must be an object`);
    return { path, key: null, deleted: false, texts: {} };
  }
  const deleted = readDeleted(value['Deleted'], 'LabelKey', value, context);
  const key = readKey(value['LabelKey'], 'LabelKey', context);
  return { path, key, deleted, texts: deleted ? {} : readTexts(value['Texts'], `${path}.Texts`, report) };
}

function readAnswerOptions(value: unknown, context: ElementContext): readonly OptionSent[] {
  const path = `${context.path}.AnswerOptions`;
  if (isAbsent(value)) context.report(`${path} is required for Type 2`);
  else if (!isArray(value)) context.report(`${path} must be an array`);
  else {
    if (value.length === 0) context.report(`${path} must not be empty for Type 2`);
    if (value.length > maxAnswerOptions)
      context.report(`${path} must have at most ${maxAnswerOptions} elements`);
    return value.map((option, at) => readOption(option, { ...context, path: `${path}[${at}]` }));
  }
  return [];
}

/** Serialisers write an empty array for none. */
const isNone = (value: unknown): boolean => isAbsent(value) || (isArray(value) && value.length === 0);

function readOptionsOf(
  question: JsonObject,
  type: number | null,
  context: ElementContext,
): readonly OptionSent[] {
  const value = question['AnswerOptions'];
  if (type === codes.questionType.AnswerOptions || (type === null && !isNone(value))) {
    const options = readAnswerOptions(value, context);
    for (const option of isAbsent(question['Key']) ? options : []) {
      if (option.key !== null)
        context.report(`${option.path}.LabelKey must be absent where the question has no Key`);
    }
    return options;
  }
  if (!isNone(value)) context.report(`${context.path}.AnswerOptions must be absent except for Type 2`);
  return [];
}

/** Reports every problem. Of a question to be deleted only Key and Type count. */
export function readQuestion(value: unknown, context: ElementContext): QuestionSent {
  const { path, report } = context;
  if (!isObject(value)) {
    report(`${path} must be an object`);
    return { path, key: null, deleted: false, type: null, texts: {}, options: [] };
  }
  const deleted = readDeleted(value['Deleted'], 'Key', value, context);
  const type = readType(value, deleted, context);
  const key = readKey(value['Key'], 'Key', context);
  if (deleted) return { path, key, deleted, type, texts: {}, options: [] };
  const texts = readTexts(value['Texts'], `${path}.Texts`, report);
  return { path, key, deleted, type, texts, options: readOptionsOf(value, type, context) };
}

interface EitherMember {
  /** The name that was sent; by default the contract's. */
  readonly member: string;
  readonly value: unknown;
}

/** By the contract's name or existing clients' (docs/contract, "Names of existing clients"). Reports differing values. */
export function eitherMember(
  source: JsonObject,
  [member, former]: readonly [string, string],
  { prefix, report }: { readonly prefix: string; readonly report: Report },
): EitherMember {
  const value = source[member];
  if (isAbsent(source[former])) return { member, value };
  if (isAbsent(value)) return { member: former, value: source[former] };
  if (canonical(value) !== canonical(source[former]))
    report(`${prefix}${former} must equal ${member}, or be left out`);
  return { member, value };
}

const canonical = (value: unknown): unknown => (typeof value === 'string' ? canonicalUtcDate(value) : value);
