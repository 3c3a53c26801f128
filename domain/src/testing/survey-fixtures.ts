import type { StoredQuestion, SurveyContent } from '@rollcall/contracts';
import * as surveys from '../surveys/index.js';
import { specify } from './decider-specification.js';

export const { given } = specify(surveys);

export const text = (value: string) => ({ '1045': value });
export const cover = { Type: 1, Texts: text('Welcome') };
export const thanks = { Type: 99, Texts: text('Thanks') };
export const why = { Type: 3, Texts: text('Why?') };
export const how = {
  Type: 2,
  Texts: text('How?'),
  AnswerOptions: [{ Texts: text('Well') }, { Texts: text('Badly') }],
};
export const values = {
  Name: 'Pulse',
  CompanyId: 7,
  Start: '2026-05-01T02:00:00.000Z',
  End: '2026-06-01T02:00:00Z',
  State: 2,
};

export const stored = (key: string, type: number, value: string): StoredQuestion => ({
  key,
  type,
  texts: text(value),
});
export const option = (key: string, Value: number, value: string) => ({
  LabelKey: `${key}_${Value}`,
  Value,
  Texts: text(value),
});
const storedHow: StoredQuestion = {
  ...stored('Q3', 2, 'How?'),
  answerOptions: [option('Q3', 1, 'Well'), option('Q3', 2, 'Badly')],
  lastOption: 2,
};

/** Cover Q1, text answer Q2, options Q3, thank-you page Q4. */
export const content: SurveyContent = {
  surveyId: 5,
  surveyDefinitionId: 6,
  companyId: 7,
  name: 'Pulse',
  start: '2026-05-01T02:00:00.000Z',
  end: '2026-06-01T02:00:00Z',
  state: 2,
  surveySelectionRule: null,
  questions: [stored('Q1', 1, 'Welcome'), stored('Q2', 3, 'Why?'), storedHow, stored('Q4', 99, 'Thanks')],
  lastKey: 4,
};
export const created = (changes: Partial<SurveyContent> = {}): surveys.SurveyEvent => ({
  name: 'SurveyCreated',
  data: { ...content, ...changes },
});
export const updated = (changes: Partial<SurveyContent>): surveys.SurveyEvent => ({
  name: 'SurveyUpdated',
  data: { ...content, ...changes },
});

export const create = (body: object): surveys.SurveyCommand => ({
  name: 'CreateSurvey',
  companyId: 7,
  surveyId: 5,
  surveyDefinitionId: 6,
  reading: surveys.readSurvey({ ...values, ...body }, 'create'),
});
export const update = (body: object, companyId = 7): surveys.UpdateSurvey => ({
  name: 'UpdateSurvey',
  companyId,
  reading: surveys.readSurvey({ ...values, Id: 5, SurveyDefinitionId: 6, ...body }, 'update'),
});
export const ask = (...Questions: object[]) => update({ Questions: [cover, ...Questions, thanks] });
export const changeState = (state: number, companyId = 7): surveys.SurveyCommand => ({
  name: 'ChangeSurveyState',
  companyId,
  state,
});
export const [q1, q2, q3, q4] = content.questions as [
  StoredQuestion,
  StoredQuestion,
  StoredQuestion,
  StoredQuestion,
];
