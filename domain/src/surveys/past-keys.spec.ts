import tap from 'tap';
import { ask, created, given, how, option, q1, q3, q4, updated } from '../testing/survey-fixtures.js';

const invalid = (...problems: string[]) => ({ kind: 'invalid', problems }) as const;

tap.test('the deletion of a key that only looks like one that was', async () => {
  const left = { ...q3, answerOptions: [option('Q3', 1, 'Well')] };
  const among = 'is unknown; the questions of this survey are Q1, Q3, Q4';
  const past = given(created(), updated({ questions: [q1, left, q4] }));
  for (const Key of ['Q02', 'Q2.0', 'Q 2', 'Q2e0', 'q2', 'Q0', 'Q-2', 'Q', '2'])
    past.when(ask({ Key, Deleted: true })).thenRefused(invalid(`Questions[1].Key ${among}`));
  for (const LabelKey of ['Q3_02', 'Q3_2.0', 'Q3_ 2', 'Q03_2', 'Q3_0', 'Q2_2', 'Q3_', '2'])
    past
      .when(ask({ ...how, Key: 'Q3', AnswerOptions: [{ LabelKey, Deleted: true }] }))
      .thenRefused(invalid('Questions[1].AnswerOptions[0].LabelKey is unknown; the options of Q3 are Q3_1'));
});
