import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { cover, created, given, text, thanks, update, values } from '../testing/survey-fixtures.js';
import { readStateChange, readSurvey } from './read-survey.js';

const sent = (questions: readonly unknown[]) => ({ ...values, Questions: [...questions, cover, thanks] });
const asked = (...questions: unknown[]) => readSurvey(sent(questions), 'create').problems;
const askedAgain = (...questions: unknown[]) =>
  readSurvey({ ...sent(questions), Id: 1, SurveyDefinitionId: 2 }, 'update').problems;

tap.test('no problem hides another of the same body', async (t) => {
  const options = { Texts: text('a'), AnswerOptions: [{ LabelKey: 'x', Texts: {} }] };

  t.test('a text that is too long and cannot be stored', async (t) => {
    const broken = ['must have at most 4000 characters', 'must not contain NUL or half a surrogate pair'];
    t.same(
      asked({ Type: 3, Texts: text(`${'x'.repeat(4000)}\0`) }),
      broken.map((rule) => `Questions[0].Texts.1045 ${rule}`),
    );
  });

  t.test('the options of a question whose Type cannot be read', async (t) => {
    t.match(
      askedAgain(
        { ...options, Type: '2' },
        { ...options, Key: 'Q2' },
        { Texts: text('a'), AnswerOptions: [] },
      ),
      exactly([
        /^Questions\[0\]\.Type must be 1 /,
        'Questions[0].AnswerOptions[0].Texts must contain at least one language',
        'Questions[0].AnswerOptions[0].LabelKey must be absent where the question has no Key',
        'Questions[1].Type is required',
        'Questions[1].AnswerOptions[0].Texts must contain at least one language',
        'Questions[2].Type is required',
      ]),
    );
  });

  t.test('what a new survey must not delete', async (t) => {
    t.match(
      asked(
        { Deleted: true, Texts: {} },
        { Type: 2, Texts: text('a'), AnswerOptions: [{ Deleted: true, Texts: {} }] },
      ),
      exactly([
        /^Questions\[0\]\.Deleted must not be true/,
        'Questions[0].Type is required',
        'Questions[0].Texts must contain at least one language',
        /^Questions\[1\]\.AnswerOptions\[0\]\.Deleted must not be true/,
        'Questions[1].AnswerOptions[0].Texts must contain at least one language',
      ]),
    );
  });

  t.test('a Key that cannot be read is a Key', async (t) => {
    t.same(askedAgain({ ...options, Type: 2, Key: 5 }), [
      'Questions[0].Key must be a string that is not empty',
      'Questions[0].AnswerOptions[0].Texts must contain at least one language',
    ]);
  });

  t.test('what would be left of the survey, beside a name that is blank', async () => {
    const none = ['Q3_1', 'Q3_2'].map((LabelKey) => ({ LabelKey, Deleted: true }));
    const Questions = [cover, { Key: 'Q3', Type: 2, Texts: text('How?'), AnswerOptions: none }, thanks];
    given(created())
      .when(update({ Name: ' ', SurveyDefinitionId: 7, Questions }))
      .thenRefused({
        kind: 'invalid',
        problems: [
          'Name must not be blank',
          'SurveyDefinitionId must be 6: it cannot change',
          'Questions[1].AnswerOptions must leave at least one option',
        ],
      });
  });

  t.test('a wrong state and a body that is no array', async (t) => {
    t.same(readStateChange('9', {}).problems, [
      'The state in the path must be 1 (Draft), 2 (Active) or 3 (Inactive)',
      'The body must be an array of survey ids',
    ]);
  });

  t.test('a wrong id among too many', async (t) => {
    t.same(readStateChange('1', [0, ...Array<number>(1000).fill(-1)]).problems, [
      'The body must have at most 1000 survey ids',
      ...Array.from({ length: 1000 }, (_, at) => `[${at}] must be a survey id, a positive integer`),
    ]);
  });
});
