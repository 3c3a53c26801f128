import { Type, type Static } from 'typebox';

/** On `surveyids`: revision r gives the numbers r*64+1 .. r*64+64 to its writer. */
export const SurveyIdsReserved = Type.Object({
  first: Type.Integer({ minimum: 1 }),
  count: Type.Literal(64),
});
export type SurveyIdsReserved = Static<typeof SurveyIdsReserved>;

const Texts = Type.Record(Type.String(), Type.String());

export const StoredAnswerOption = Type.Object({
  LabelKey: Type.String(),
  Value: Type.Integer({ minimum: 1 }),
  Texts,
});
export type StoredAnswerOption = Static<typeof StoredAnswerOption>;

export const StoredQuestion = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 20 }),
  type: Type.Integer(),
  texts: Texts,
  /** Type 2 only. */
  answerOptions: Type.Optional(Type.Array(StoredAnswerOption)),
  /** The highest option number ever given in this question; Type 2 only. */
  lastOption: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type StoredQuestion = Static<typeof StoredQuestion>;

export const SurveyContent = Type.Object({
  surveyId: Type.Integer({ minimum: 1 }),
  surveyDefinitionId: Type.Integer({ minimum: 1 }),
  companyId: Type.Integer({ minimum: 1 }),
  name: Type.String(),
  start: Type.String(),
  end: Type.String(),
  state: Type.Integer(),
  surveySelectionRule: Type.Union([Type.String(), Type.Null()]),
  /** The highest question number ever given: `Q{lastKey}`. */
  lastKey: Type.Integer({ minimum: 0 }),
  questions: Type.Array(StoredQuestion),
});
export type SurveyContent = Static<typeof SurveyContent>;

export const SurveyCreated = SurveyContent;
export const SurveyUpdated = SurveyContent;
/** Carries the whole survey too: the last event is the state. */
export const SurveyStateChanged = SurveyContent;
