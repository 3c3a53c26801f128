import type { SurveyContent, SurveyIdsReserved } from '../events/survey-events.js';
import type { InvalidRequestBody } from '../http/common.js';
import type { SurveyDraft, Survey, SurveyListItem, SurveyUpdate } from '../http/surveys.js';

const availability = { Start: '2026-05-01T02:00:00Z', End: '2026-06-01T02:00:00Z' };
const rule = '{"Frequency":"Quarterly","Filters":{"Manager":"JENSEN"}}';

const header = { Name: 'Autumn pulse', CompanyId: 1, ...availability, State: 2, SurveySelectionRule: rule };

export const surveyDraftExample: SurveyDraft = {
  ...header,
  Questions: [
    { Type: 1, Texts: { '1045': 'Welcome.' } },
    {
      Type: 2,
      Texts: { '1045': 'How are you today?' },
      AnswerOptions: [{ Texts: { '1045': 'Great.' } }, { Texts: { '1045': 'As always.' } }],
    },
    { Type: 99, Texts: { '1045': 'Thank you.' } },
  ],
};

export const surveyUpdateExample: SurveyUpdate = {
  Id: 1,
  SurveyDefinitionId: 2,
  ...header,
  Questions: [
    { Key: 'Q1', Type: 1, Texts: { '1045': 'Welcome back.' } },
    {
      Key: 'Q2',
      Type: 2,
      Texts: { '1045': 'How are you today?' },
      AnswerOptions: [{ LabelKey: 'Q2_1', Deleted: true }, { Texts: { '1045': 'Better than ever.' } }],
    },
    { Type: 3, Texts: { '1045': 'What should we stop doing?' } },
    { Key: 'Q3', Type: 99, Texts: { '1045': 'Thank you.' } },
  ],
};

export const surveyErrorsExample: InvalidRequestBody = {
  Message: 'The survey is not valid.',
  ValidationErrors: ['Name must not be blank', 'Questions[1].Texts.1045 must not be empty'],
};

export const surveyIdExample = 1;
export const surveyIdsExample: number[] = [1, 3];

export const surveyListItemExample: SurveyListItem = {
  id: 1,
  name: 'Autumn pulse',
  companyId: 1,
  start: availability.Start,
  end: availability.End,
  state: 2,
  surveyDefinitionId: 2,
  startDate: availability.Start,
  endDate: availability.End,
};

export const surveyExample: Survey = {
  ...surveyListItemExample,
  surveySelectionRule: rule,
  questions: [
    { order: 1, key: 'Q1', type: 1, texts: { '1045': 'Welcome.' }, configuration: null, stepType: 1 },
    {
      order: 2,
      key: 'Q2',
      type: 2,
      texts: { '1045': 'How are you today?' },
      configuration:
        '{"AnswerOptions":[{"LabelKey":"Q2_1","Value":1,"Texts":{"1045":"Great."}},{"LabelKey":"Q2_2","Value":2,"Texts":{"1045":"As always."}}]}',
      stepType: 2,
    },
    { order: 3, key: 'Q3', type: 99, texts: { '1045': 'Thank you.' }, configuration: null, stepType: 99 },
  ],
};

export const surveyIdsReservedExample: SurveyIdsReserved = { first: 1, count: 64 };

export const surveyCreatedExample: SurveyContent = {
  surveyId: 1,
  surveyDefinitionId: 2,
  companyId: 1,
  name: 'Autumn pulse',
  start: availability.Start,
  end: availability.End,
  state: 2,
  surveySelectionRule: rule,
  lastKey: 3,
  questions: [
    { key: 'Q1', type: 1, texts: { '1045': 'Welcome.' } },
    {
      key: 'Q2',
      type: 2,
      texts: { '1045': 'How are you today?' },
      answerOptions: [
        { LabelKey: 'Q2_1', Value: 1, Texts: { '1045': 'Great.' } },
        { LabelKey: 'Q2_2', Value: 2, Texts: { '1045': 'As always.' } },
      ],
      lastOption: 2,
    },
    { key: 'Q3', type: 99, texts: { '1045': 'Thank you.' } },
  ],
};

export const surveyUpdatedExample: SurveyContent = { ...surveyCreatedExample, name: 'Autumn pulse 2026' };
export const surveyStateChangedExample: SurveyContent = { ...surveyCreatedExample, state: 3 };
