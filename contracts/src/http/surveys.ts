import { Type, type Static, type TSchema } from 'typebox';
import { PathId, PositiveId } from './common.js';

const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Moment = Type.String({
  format: 'date-time',
  description: 'yyyy-MM-ddTHH:mm:ssZ, optionally with fractional seconds.',
});
const stateCodes = '1 = Draft, 2 = Active, 3 = Inactive';
const questionTypeCodes =
  '1 = cover page, 2 = answer options, 3 = text answer, 4 = body question, 99 = thank-you page';
const Name = Type.String({ minLength: 1, maxLength: 50 });
const State = Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(3)], {
  description: stateCodes,
});
const QuestionType = Type.Union(
  [Type.Literal(1), Type.Literal(2), Type.Literal(3), Type.Literal(4), Type.Literal(99)],
  {
    description:
      '1 = cover page, 2 = answer options, 3 = text answer, 4 = body question, 99 = thank-you page',
  },
);
const Texts = Type.Record(
  Type.String({ pattern: '^[1-9][0-9]*$' }),
  Type.String({ minLength: 1, maxLength: 4000 }),
  {
    minProperties: 1,
    description: 'From a language id to the text in that language.',
  },
);
const SelectionRule = optional(
  Type.String({ description: 'A JSON document with Frequency, EnabledLanguages and Filters; kept as sent.' }),
);
const Deleted = optional(Type.Boolean({ description: 'true removes what the key names.' }));

/** The bodies of surveys (interface.md, "Survey"). They document; `domain/surveys` checks. */
export const NewSurveyQuestion = Type.Object(
  {
    Type: QuestionType,
    Texts,
    AnswerOptions: optional(
      Type.Array(Type.Object({ Texts }), { minItems: 1, maxItems: 100, description: 'Only for Type 2.' }),
    ),
  },
  { title: 'NewSurveyQuestion' },
);
export type NewSurveyQuestion = Static<typeof NewSurveyQuestion>;

export const SurveyAnswerOptionUpdate = Type.Object(
  {
    LabelKey: optional(
      Type.String({ description: 'Names an existing option; without it the option is inserted.' }),
    ),
    Texts: Type.Optional(Texts),
    Deleted,
  },
  { title: 'SurveyAnswerOptionUpdate' },
);
export type SurveyAnswerOptionUpdate = Static<typeof SurveyAnswerOptionUpdate>;

export const SurveyQuestionUpdate = Type.Object(
  {
    Key: optional(
      Type.String({
        maxLength: 20,
        description: 'Names an existing question; without it the question is inserted.',
      }),
    ),
    Type: Type.Optional(QuestionType),
    Texts: Type.Optional(Texts),
    AnswerOptions: optional(
      Type.Array(SurveyAnswerOptionUpdate, { minItems: 1, maxItems: 100, description: 'Only for Type 2.' }),
    ),
    Deleted,
  },
  { title: 'SurveyQuestionUpdate', description: 'Type and Texts may be absent only where Deleted is true.' },
);
export type SurveyQuestionUpdate = Static<typeof SurveyQuestionUpdate>;

export const NewSurvey = Type.Object(
  {
    Name,
    CompanyId: PositiveId,
    Start: Moment,
    End: Moment,
    State,
    SurveySelectionRule: SelectionRule,
    Questions: Type.Array(NewSurveyQuestion, { minItems: 2, maxItems: 500 }),
  },
  { title: 'NewSurvey' },
);
export type NewSurvey = Static<typeof NewSurvey>;

export const SurveyUpdate = Type.Object(
  {
    Id: PositiveId,
    SurveyDefinitionId: PositiveId,
    Name,
    CompanyId: PositiveId,
    Start: Moment,
    End: Moment,
    State,
    SurveySelectionRule: SelectionRule,
    Questions: Type.Array(SurveyQuestionUpdate, { minItems: 2, maxItems: 500 }),
  },
  { title: 'SurveyUpdate' },
);
export type SurveyUpdate = Static<typeof SurveyUpdate>;

/** The answer of a create: the bare number. */
export const SurveyId = Type.Integer({ minimum: 1, title: 'SurveyId' });

export const SurveyIds = Type.Array(PositiveId, { maxItems: 1000, title: 'SurveyIds' });

const listed = {
  id: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  companyId: Type.Integer({ minimum: 1 }),
  start: Type.String({ description: 'As sent.' }),
  end: Type.String({ description: 'As sent.' }),
  state: Type.Integer({ minimum: 1, maximum: 3, description: stateCodes }),
  surveyDefinitionId: Type.Integer({ minimum: 1 }),
};

/** An element of `GET /v1.0/Survey`. */
export const SurveyListItem = Type.Object(listed, { title: 'SurveyListItem' });
export type SurveyListItem = Static<typeof SurveyListItem>;
export const SurveyList = Type.Array(SurveyListItem, { title: 'SurveyList' });

export const SurveyQuestion = Type.Object(
  {
    order: Type.Integer({ minimum: 1 }),
    key: Type.String(),
    type: Type.Integer({ description: questionTypeCodes }),
    texts: Type.Record(Type.String(), Type.String()),
    configuration: Type.Union([Type.String(), Type.Null()], {
      description:
        'For Type 2 a JSON string {"AnswerOptions":[{"LabelKey","Value","Texts"}]}, otherwise null.',
    }),
  },
  { title: 'SurveyQuestion' },
);
export type SurveyQuestion = Static<typeof SurveyQuestion>;

/** `GET /v1.0/Survey/{id}`. */
export const Survey = Type.Object(
  {
    ...listed,
    surveySelectionRule: Type.Union([Type.String(), Type.Null()], { description: 'As sent.' }),
    questions: Type.Array(SurveyQuestion),
  },
  { title: 'Survey' },
);
export type Survey = Static<typeof Survey>;

export const SurveyPath = Type.Object({ id: PathId });
export type SurveyPath = Static<typeof SurveyPath>;
export const SurveyStatePath = Type.Object({ state: Type.Unsafe<string>(State) });
export type SurveyStatePath = Static<typeof SurveyStatePath>;

export const SurveysQuery = Type.Object({
  companyId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The token's company, which is also the default.",
    }),
  ),
  State: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: 'Only surveys in this state.' })),
});
export type SurveysQuery = Static<typeof SurveysQuery>;
