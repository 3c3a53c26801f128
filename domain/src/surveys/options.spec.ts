import tap from 'tap';
import {
  ask,
  created,
  given,
  how,
  option,
  q1,
  q2,
  q3,
  q4,
  stored,
  text,
  updated,
  why,
} from '../testing/survey-fixtures.js';

const [well, badly] = [option('Q3', 1, 'Well'), option('Q3', 2, 'Badly')];

tap.test('another text of one option is a change', async () => {
  given(created())
    .when(ask({ ...how, Key: 'Q3', AnswerOptions: [{ LabelKey: 'Q3_2', Texts: text('Poorly') }] }))
    .then(updated({ questions: [q1, q2, { ...q3, answerOptions: [well, option('Q3', 2, 'Poorly')] }, q4] }));
});

tap.test('of several equal options one without LabelKey is the oldest, wherever that stands', async () => {
  const twin = option('Q3', 2, 'Well');
  const AnswerOptions = [{ Texts: text('New') }, { Texts: text('Well') }];
  given(created({ questions: [q1, q2, { ...q3, answerOptions: [twin, well] }, q4] }))
    .when(ask({ ...how, Key: 'Q3', AnswerOptions }))
    .then(
      updated({
        questions: [
          q1,
          q2,
          { ...q3, answerOptions: [twin, option('Q3', 3, 'New'), well], lastOption: 3 },
          q4,
        ],
      }),
    );
});

tap.test('500 questions, and 100 options of one, are not too many', async () => {
  const many = Array.from({ length: 496 }, (_, n) => stored(`Q${n + 5}`, 3, `${n}`));
  const options = Array.from({ length: 97 }, (_, n) => option('Q3', n + 3, `${n}`));
  const full = { ...q3, answerOptions: [well, badly, ...options], lastOption: 99 };
  given(created({ questions: [q1, full, ...many, q4], lastKey: 500 }))
    .when(ask({ ...how, Key: 'Q3', AnswerOptions: [...how.AnswerOptions, { Texts: text('97') }] }, why))
    .then(
      updated({
        questions: [
          q1,
          {
            ...full,
            answerOptions: [...full.answerOptions, option('Q3', 100, '97')],
            lastOption: 100,
          },
          ...many,
          stored('Q501', 3, 'Why?'),
          q4,
        ],
        lastKey: 501,
      }),
    );
});
