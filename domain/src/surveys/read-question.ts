import { codes } from '@rollcall/contracts';
import { isLongerThan, isStorable } from '../text/code-points.js';
import { isAbsent, isArray, isObject, type JsonObject, type Report } from '../json/json-shapes.js';
import { eitherMember } from './former-names.js';
import { isQuestionType, maxAnswerOptions, maxKeyLength } from './limits.js';
import { readTexts, type Texts } from './read-texts.js';

/** A create takes no keys and deletes nothing. */
export type SurveyCall = 'create' | 'update';

export interface OptionSent {
  /** Where it stands in the body, for problems: `Questions[1].AnswerOptions[0]`. */
  readonly path: string;
  /** null for one to be inserted. */
  readonly key: string | null;
  readonly deleted: boolean;
  readonly texts: Texts;
}

export interface QuestionSent {
  readonly path: string;
  /** null for one without a Key. */
  readonly key: string | null;
  readonly deleted: boolean;
  /** null where it is unreadable, or absent in a question to be deleted. */
  readonly type: number | null;
  readonly texts: Texts;
  readonly options: readonly OptionSent[];
}

interface Place {
  readonly path: string;
  readonly call: SurveyCall;
  readonly report: Report;
}

/** The member that names an existing question or option. */
function readKey(value: unknown, member: 'Key' | 'LabelKey', { path, call, report }: Place): string | null {
  if (isAbsent(value)) return null;
  const place = `${path}.${member}`;
  if (call === 'create')
    report(`${place} must be absent in a new survey; an existing one is changed by /survey/Update`);
  else if (typeof value !== 'string' || value === '' || !isStorable(value))
    report(`${place} must be a string that is not empty`);
  else if (isLongerThan(value, maxKeyLength)) report(`${place} must have at most ${maxKeyLength} characters`);
  else return value;
  return null;
}

function readDeleted(value: unknown, member: 'Key' | 'LabelKey', source: JsonObject, place: Place): boolean {
  const path = `${place.path}.Deleted`;
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') place.report(`${path} must be true or false`);
  else if (value && place.call === 'create')
    place.report(`${path} must not be true in a new survey; /survey/Update takes it`);
  else if (value && isAbsent(source[member])) place.report(`${path} must not be true without a ${member}`);
  return value === true;
}

function readType(question: JsonObject, deleted: boolean, { path, report }: Place): number | null {
  const { member, value } = eitherMember(question, ['Type', 'StepType'], { place: `${path}.`, report });
  if (isQuestionType(value)) return value;
  if (!isAbsent(value)) {
    report(
      `${path}.${member} must be 1 (cover page), 2 (answer options), 3 (text answer), 4 (body question) or 99 (thank-you page)`,
    );
  } else if (!deleted) report(`${path}.Type is required`);
  return null;
}

function readOption(value: unknown, place: Place): OptionSent {
  const { path, report } = place;
  if (!isObject(value)) {
    report(`${path} must be an object`);
    return { path, key: null, deleted: false, texts: {} };
  }
  const deleted = readDeleted(value['Deleted'], 'LabelKey', value, place);
  const key = readKey(value['LabelKey'], 'LabelKey', place);
  return { path, key, deleted, texts: deleted ? {} : readTexts(value['Texts'], `${path}.Texts`, report) };
}

function readAnswerOptions(value: unknown, place: Place): readonly OptionSent[] {
  const path = `${place.path}.AnswerOptions`;
  if (isAbsent(value)) place.report(`${path} is required for Type 2`);
  else if (!isArray(value)) place.report(`${path} must be an array`);
  else {
    if (value.length === 0) place.report(`${path} must not be empty for Type 2`);
    if (value.length > maxAnswerOptions)
      place.report(`${path} must have at most ${maxAnswerOptions} elements`);
    return value.map((option, at) => readOption(option, { ...place, path: `${path}[${at}]` }));
  }
  return [];
}

function readOptionsOf(
  question: JsonObject,
  type: number | null,
  key: string | null,
  place: Place,
): readonly OptionSent[] {
  const value = question['AnswerOptions'];
  if (type === codes.questionType.AnswerOptions) {
    const options = readAnswerOptions(value, place);
    for (const option of key === null ? options : []) {
      if (option.key !== null)
        place.report(`${option.path}.LabelKey must be absent where the question has no Key`);
    }
    return options;
  }
  if (type !== null && !isAbsent(value))
    place.report(`${place.path}.AnswerOptions must be absent except for Type 2`);
  return [];
}

/** Reads one element of Questions and reports every problem in it. Of a question to be deleted only Key and Type count. */
export function readQuestion(value: unknown, place: Place): QuestionSent {
  const { path, report } = place;
  if (!isObject(value)) {
    report(`${path} must be an object`);
    return { path, key: null, deleted: false, type: null, texts: {}, options: [] };
  }
  const deleted = readDeleted(value['Deleted'], 'Key', value, place);
  const type = readType(value, deleted, place);
  const key = readKey(value['Key'], 'Key', place);
  if (deleted) return { path, key, deleted, type, texts: {}, options: [] };
  const texts = readTexts(value['Texts'], `${path}.Texts`, report);
  return { path, key, deleted, type, texts, options: readOptionsOf(value, type, key, place) };
}
