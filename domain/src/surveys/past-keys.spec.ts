import tap from 'tap';
import {
  ask,
  created,
  given,
  how,
  option,
  q1,
  q3,
  q4,
  text,
  updated,
  why,
} from '../testing/survey-fixtures.js';

const invalid = (...problems: string[]) => ({ kind: 'invalid', problems }) as const;

tap.test('the deletion of a key that only looks like one that was', async () => {
  const left = { ...q3, answerOptions: [option('Q3', 1, 'Well')] };
  const among = 'is unknown; the questions of this survey are Q1, Q3, Q4';
  const past = given(created(), updated({ questions: [q1, left, q4] }));
  for (const Key of ['Q02', 'Q2.0', 'Q 2', 'Q2e0', 'q2', 'Q0', 'Q-2', 'Q', '2', 'Q1.5', 'Q5'])
    past.when(ask({ Key, Deleted: true })).thenRefused(invalid(`Questions[1].Key ${among}`));
  for (const LabelKey of ['Q3_02', 'Q3_2.0', 'Q3_ 2', 'Q03_2', 'Q3_0', 'Q2_2', 'Q3_', '2', 'Q3_1.5', 'Q3_3'])
    past
      .when(ask({ ...how, Key: 'Q3', AnswerOptions: [{ LabelKey, Deleted: true }] }))
      .thenRefused(invalid('Questions[1].AnswerOptions[0].LabelKey is unknown; the options of Q3 are Q3_1'));
});

tap.test('a key of what was removed is given to nothing again', async () => {
  const left = { ...q3, answerOptions: [option('Q3', 1, 'Well')] };
  given(created(), updated({ questions: [q1, left, q4] }))
    .when(
      ask(
        { ...why, Key: 'Q2' },
        { ...how, Key: 'Q3', AnswerOptions: [{ LabelKey: 'Q3_2', Texts: text('Badly') }] },
      ),
    )
    .thenRefused(
      invalid(
        'Questions[1].Key is unknown; the questions of this survey are Q1, Q3, Q4',
        'Questions[2].AnswerOptions[0].LabelKey is unknown; the options of Q3 are Q3_1',
      ),
    );
});

tap.test('of many keys in force the first 20 are named', async () => {
  const answerOptions = Array.from({ length: 21 }, (_, n) => option('Q3', n + 1, `${n}`));
  const named = Array.from({ length: 20 }, (_, n) => `Q3_${n + 1}`).join(', ');
  const ofAll = (count: number) =>
    given(created({ questions: [q1, { ...q3, answerOptions: answerOptions.slice(0, count) }, q4] })).when(
      ask({ ...how, Key: 'Q3', AnswerOptions: [{ LabelKey: 'Q3_99', Texts: text('x') }] }),
    );
  const problem = `Questions[1].AnswerOptions[0].LabelKey is unknown; the options of Q3 are ${named}`;
  ofAll(20).thenRefused(invalid(problem));
  ofAll(21).thenRefused(invalid(`${problem} and 1 more`));
});
