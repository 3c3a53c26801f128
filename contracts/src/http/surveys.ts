import { Type, type Static } from 'typebox';
import { PathId, PositiveId } from './common.js';
import { codes, limits, patterns } from '../values/limits.js';
import { Id, mapOf, oneOfCodes, optional, orNull, sentMoment, describedId } from './schemas.js';

const own = limits.survey;
const Name = Type.String({ minLength: 1, maxLength: own.name, description: 'Not blank.' });
const Start = sentMoment('When the survey becomes available.');
const End = sentMoment('When it becomes unavailable; after Start.');
const State = oneOfCodes('SurveyState', codes.surveyState, '1 = draft, 2 = active, 3 = inactive');
const QuestionType = oneOfCodes(
  'QuestionType',
  codes.questionType,
  '1 = cover page, 2 = answer options, 3 = text answer, 4 = body question, 99 = thank-you page',
);
const Texts = mapOf(Type.String({ minLength: 1, maxLength: own.text }), {
  propertyNames: { pattern: patterns.languageId },
  minProperties: 1,
  title: 'Texts',
  description: 'From a language id, written as a string, to the text in that language, which is not blank.',
});
const StoredTexts = mapOf(Type.String(), { description: 'By language id.' });
const SelectionRule = optional(
  Type.String({ description: 'A JSON document with Frequency, EnabledLanguages and Filters; kept as sent.' }),
);
const Deleted = optional(Type.Boolean({ description: 'true removes what the key names.' }));

const requiredUnlessDeleted = (key: string, required: readonly string[]) => ({
  if: { properties: { Deleted: { const: true } }, required: ['Deleted'] },
  then: { required: [key] },
  else: { required },
});

const exactlyOne = (type: number) => ({
  contains: { properties: { Type: { const: type } }, required: ['Type'] },
  minContains: 1,
  maxContains: 1,
});
const pages = {
  minItems: 2,
  maxItems: own.questions,
  allOf: [exactlyOne(codes.questionType.CoverPage), exactlyOne(codes.questionType.ThankYouPage)],
  description: 'Exactly one cover page and one thank-you page among them.',
};

/** interface.md, "Survey". Documentation; `domain/surveys` checks. */
const SurveyDraftQuestion = Type.Object(
  {
    Type: QuestionType,
    Texts,
    AnswerOptions: optional(
      Type.Array(Type.Object({ Texts }, { title: 'SurveyDraftAnswerOption' }), {
        maxItems: own.answerOptions,
        description: 'At least one for Type 2, none for others.',
      }),
    ),
  },
  { title: 'SurveyDraftQuestion', description: 'A question without a Key: the service gives it.' },
);

const SurveyAnswerOptionUpdate = Type.Object(
  {
    LabelKey: optional(
      Type.String({
        maxLength: own.key,
        description: 'Names an existing option; without it the option is inserted.',
      }),
    ),
    Texts: Type.Optional(Texts),
    Deleted,
  },
  {
    title: 'SurveyAnswerOptionUpdate',
    ...requiredUnlessDeleted('LabelKey', ['Texts']),
    description: 'Texts may be absent only where Deleted is true.',
  },
);

const SurveyQuestionUpdate = Type.Object(
  {
    Key: optional(
      Type.String({
        maxLength: own.key,
        description: 'Names an existing question; without it the question is inserted.',
      }),
    ),
    Type: Type.Optional(QuestionType),
    Texts: Type.Optional(Texts),
    AnswerOptions: optional(
      Type.Array(SurveyAnswerOptionUpdate, {
        maxItems: own.answerOptions,
        description: 'At least one for Type 2, none for others. An option that is absent stays.',
      }),
    ),
    Deleted,
  },
  {
    title: 'SurveyQuestionUpdate',
    ...requiredUnlessDeleted('Key', ['Type', 'Texts']),
    description: 'Type and Texts may be absent only where Deleted is true.',
  },
);

const header = { Name, CompanyId: PositiveId, Start, End, State, SurveySelectionRule: SelectionRule };

export const SurveyDraft = Type.Object(
  {
    ...header,
    Questions: Type.Array(SurveyDraftQuestion, pages),
  },
  {
    title: 'SurveyDraft',
    description:
      'A survey without ids and keys: the service gives them. StartDate, EndDate and StepType of existing clients are taken for Start, End and Type.',
  },
);
export type SurveyDraft = Static<typeof SurveyDraft>;

export const SurveyUpdate = Type.Object(
  {
    Id: PositiveId,
    SurveyDefinitionId: PositiveId,
    ...header,
    Questions: Type.Array(SurveyQuestionUpdate, pages),
  },
  { title: 'SurveyUpdate', description: 'The whole survey. Without SurveySelectionRule it has none.' },
);
export type SurveyUpdate = Static<typeof SurveyUpdate>;

export const SurveyId = Id;

export const SurveyIds = Type.Array(PositiveId, { maxItems: own.stateChanges, description: 'Survey ids.' });

const stored = {
  id: Id,
  name: Type.String(),
  companyId: Id,
  start: Type.String({ description: 'As sent.' }),
  end: Type.String({ description: 'As sent.' }),
  state: State,
  surveyDefinitionId: Id,
};

const storedQuestion = {
  order: Type.Integer({ minimum: 1 }),
  key: Type.String(),
  type: QuestionType,
  texts: StoredTexts,
  configuration: orNull(
    Type.String({
      description:
        'For type 2 a JSON string {"AnswerOptions":[{"LabelKey","Value","Texts"}]}, otherwise null.',
    }),
  ),
};
const surveySelectionRule = orNull(Type.String({ description: 'As sent.' }));

export const SurveyDocument = Type.Object({
  ...stored,
  surveySelectionRule,
  questions: Type.Array(Type.Object(storedQuestion)),
});
export type SurveyDocument = Static<typeof SurveyDocument>;

const equals = (member: string) => ({ description: `Equals ${member}, for existing clients.` });
const listed = { ...stored, startDate: Type.String(equals('start')), endDate: Type.String(equals('end')) };

export const SurveyListItem = Type.Object(listed, { title: 'SurveyListItem' });
export type SurveyListItem = Static<typeof SurveyListItem>;
export const SurveyList = Type.Array(SurveyListItem);

const SurveyQuestion = Type.Object(
  {
    ...storedQuestion,
    stepType: Type.Integer(equals('type')),
  },
  { title: 'SurveyQuestion' },
);

export const Survey = Type.Object(
  {
    ...listed,
    surveySelectionRule,
    questions: Type.Array(SurveyQuestion),
  },
  { title: 'Survey' },
);
export type Survey = Static<typeof Survey>;

export const SurveyPath = Type.Object({ id: PathId('The survey.') });
export const SurveyStatePath = Type.Object({ state: Type.Unsafe<string>(State) });

export const SurveysQuery = Type.Object({
  companyId: Type.Optional(describedId("The token's company, which is also the default.")),
  State: Type.Optional(State),
});
