import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import {
  ask,
  content,
  cover,
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
  thanks,
  update,
  updated,
  why,
} from '../testing/survey-fixtures.js';
import * as surveys from './index.js';

tap.test('update: happened', async (t) => {
  t.test('values and texts are replaced whole; an absent rule removes it', async () => {
    given(
      created({
        surveySelectionRule: '{}',
        questions: [q1, { ...q2, texts: { '1045': 'Why?', '1041': 'Hvorfor?' } }, q4],
      }),
    )
      .when(
        update({
          Name: 'New',
          State: 3,
          Questions: [cover, { ...why, Key: 'Q2', Texts: text('What?') }, thanks],
        }),
      )
      .then(updated({ name: 'New', state: 3, questions: [q1, { ...q2, texts: text('What?') }, q4] }));
  });

  t.test('an absent question stays behind the one it stood behind; others are as sent', async () => {
    const more = [q1, stored('Q5', 3, 'five'), q2, q3, stored('Q6', 4, 'six'), q4];
    given(created({ questions: more, lastKey: 6 }))
      .when(ask({ Type: 4, Texts: text('new') }, { ...why, Key: 'Q2' }))
      .then(
        updated({
          questions: [
            q1,
            stored('Q5', 3, 'five'),
            stored('Q7', 4, 'new'),
            q2,
            q3,
            stored('Q6', 4, 'six'),
            q4,
          ],
          lastKey: 7,
        }),
      );
  });

  t.test('one that stood behind a deleted one stays behind the one before that', async () => {
    given(created())
      .when(ask({ Key: 'Q2', Deleted: true }))
      .then(updated({ questions: [q1, q3, q4] }));
  });

  t.test('one that stood before all that are sent stays first', async () => {
    const five = stored('Q5', 4, 'five');
    given(created({ questions: [five, q1, q4], lastKey: 5 }))
      .when(update({ Questions: [thanks, cover] }))
      .then(updated({ questions: [five, q4, q1], lastKey: 5 }));
  });

  t.test('pages without Key are the existing ones', async () => {
    given(created())
      .when(update({ Questions: [{ ...cover, Texts: text('Hi') }, thanks] }))
      .then(updated({ questions: [{ ...q1, texts: text('Hi') }, q2, q3, q4] }));
  });

  t.test('a question without Key that equals an unaddressed one is that, where it was sent', async () => {
    given(created())
      .when(ask(how, why))
      .then(updated({ questions: [q1, q3, q2, q4] }));
  });

  t.test('one that equals only a question that is addressed is inserted', async () => {
    given(created())
      .when(ask({ ...why, Key: 'Q2', Texts: text('When?') }, why))
      .then(
        updated({
          questions: [q1, { ...q2, texts: text('When?') }, q3, stored('Q5', 3, 'Why?'), q4],
          lastKey: 5,
        }),
      );
  });

  t.test('each existing one is taken at most once', async () => {
    given(created())
      .when(ask(why, why))
      .then(updated({ questions: [q1, q2, q3, stored('Q5', 3, 'Why?'), q4], lastKey: 5 }));
  });

  t.test('of several that are equal it is the oldest, wherever that stands', async () => {
    const five = stored('Q5', q2.type, 'Why?');
    given(created({ questions: [q1, five, q2, q4], lastKey: 5 }))
      .when(ask({ Type: 4, Texts: text('new') }, why))
      .then(updated({ questions: [q1, five, stored('Q6', 4, 'new'), q2, q4], lastKey: 6 }));
  });

  t.test('other texts, another type or other options make another question', async () => {
    const others = [
      { ...why, Texts: { ...text('Why?'), '1041': 'Hvorfor?' } },
      { ...why, Type: 4 },
      { ...how, AnswerOptions: [...how.AnswerOptions].reverse() },
    ];
    for (const other of others) {
      const decision = surveys.decide(ask(other), { status: 'present', survey: content });
      t.match(decision, {
        kind: 'events',
        events: exactly([{ data: { lastKey: 5, questions: { length: 5 } } }]),
      });
    }
  });

  t.test('options: updated, inserted, removed; an absent one stays', async () => {
    const AnswerOptions = [
      { Texts: text('So so') },
      { LabelKey: 'Q3_2', Texts: text('Poorly') },
      { LabelKey: 'Q3_3', Deleted: true },
    ];
    const before = [...(q3.answerOptions ?? []), option('Q3', 3, 'Fine'), option('Q3', 4, 'Great')];
    given(created({ questions: [q1, q2, { ...q3, answerOptions: before, lastOption: 4 }, q4] }))
      .when(ask({ ...how, Key: 'Q3', AnswerOptions }))
      .then(
        updated({
          questions: [
            q1,
            q2,
            {
              ...q3,
              answerOptions: [
                option('Q3', 1, 'Well'),
                option('Q3', 5, 'So so'),
                option('Q3', 2, 'Poorly'),
                option('Q3', 4, 'Great'),
              ],
              lastOption: 5,
            },
            q4,
          ],
        }),
      );
  });

  t.test('keys and option values are never given again', async () => {
    given(created(), updated({ questions: [q1, { ...q3, answerOptions: [option('Q3', 1, 'Well')] }, q4] }))
      .when(ask({ ...how, Key: 'Q3', AnswerOptions: [{ Texts: text('Badly') }] }, why))
      .then(
        updated({
          questions: [
            q1,
            { ...q3, answerOptions: [option('Q3', 1, 'Well'), option('Q3', 3, 'Badly')], lastOption: 3 },
            stored('Q5', 3, 'Why?'),
            q4,
          ],
          lastKey: 5,
        }),
      );
  });
});

tap.test('update: ignored', async (t) => {
  t.test('what changes nothing, also with languages in another order', async () => {
    const two = { '2': 'b', '1': 'a', '99999999999': 'd', '88888888888': 'c' };
    const turned = { '88888888888': 'c', '99999999999': 'd', '1': 'a', '2': 'b' };
    given(created({ questions: [q1, { ...q2, texts: two }, q3, q4] }))
      .when(ask({ ...why, Key: 'Q2', Texts: turned }))
      .thenNothing();
  });

  t.test('but it leaves its event where it has to', async () => {
    given(created())
      .when({ ...ask({ ...why, Key: 'Q2' }), leavesEvent: true })
      .then(updated({}));
  });

  t.test('a repeated deletion of a question and of an option', async () => {
    const left = { ...q3, answerOptions: [option('Q3', 1, 'Well')] };
    given(created(), updated({ questions: [q1, left, q4] }))
      .when(
        ask(
          { Key: 'Q2', Deleted: true },
          { ...how, Key: 'Q3', AnswerOptions: [{ LabelKey: 'Q3_2', Deleted: true }] },
        ),
      )
      .thenNothing();
  });
});

tap.test('update: refused', async (t) => {
  const invalid = (...problems: string[]) => ({ kind: 'invalid', problems }) as const;

  t.test('an unknown survey, and one of another company', async () => {
    given().when(ask()).thenRefused({ kind: 'unknown-survey' });
    given(created())
      .when(update({ Questions: [cover, thanks] }, 8))
      .thenRefused({ kind: 'unknown-survey' });
    given()
      .when(update({ Name: '', Questions: [cover, thanks] }))
      .thenRefused(invalid('Name must not be blank'));
  });

  t.test('everything that is not so, together with what is wrong in itself', async () => {
    given(created())
      .when(
        update({
          Name: '',
          SurveyDefinitionId: 9,
          Questions: [
            { ...cover, Key: 'Q4' },
            { ...why, Key: 'Q9' },
            { ...why, Key: 'Q3' },
            { ...how, Key: 'Q02' },
            thanks,
          ],
        }),
      )
      .thenRefused(
        invalid(
          'Name must not be blank',
          'SurveyDefinitionId must be 6: it cannot change',
          'Questions[0].Type must be 99, as Q4 has it: the Type of a question cannot change',
          'Questions[1].Key is unknown; the questions of this survey are Q1, Q2, Q3, Q4',
          'Questions[2].Type must be 2, as Q3 has it: the Type of a question cannot change',
          'Questions[3].Key is unknown; the questions of this survey are Q1, Q2, Q3, Q4',
        ),
      );
  });

  t.test('unknown options, a key that never was, the deletion of a page', async () => {
    given(created())
      .when(
        ask(
          {
            ...how,
            Key: 'Q3',
            AnswerOptions: [
              { LabelKey: 'Q3_3', Texts: text('x') },
              { LabelKey: 'Q2_1', Deleted: true },
            ],
          },
          { Key: 'Q5', Deleted: true },
          { Key: 'Q1', Deleted: true },
        ),
      )
      .thenRefused(
        invalid(
          'Questions[1].AnswerOptions[0].LabelKey is unknown; the options of Q3 are Q3_1, Q3_2',
          'Questions[1].AnswerOptions[1].LabelKey is unknown; the options of Q3 are Q3_1, Q3_2',
          'Questions[2].Key is unknown; the questions of this survey are Q1, Q2, Q3, Q4',
          'Questions[3].Deleted must not be true: Q1 is a page that every survey has',
        ),
      );
  });

  t.test('the last options of a question', async () => {
    given(created())
      .when(
        ask({
          ...how,
          Key: 'Q3',
          AnswerOptions: [
            { LabelKey: 'Q3_1', Deleted: true },
            { LabelKey: 'Q3_2', Deleted: true },
          ],
        }),
      )
      .thenRefused(invalid('Questions[1].AnswerOptions must leave at least one option'));
  });

  t.test('limits, counting what stays', async () => {
    const many = Array.from({ length: 497 }, (_, n) => stored(`Q${n + 5}`, 3, `${n}`));
    const options = Array.from({ length: 100 }, (_, n) => option('Q3', n + 1, `${n}`));
    given(created({ questions: [q1, q3, ...many, q4], lastKey: 501 }))
      .when(ask(why))
      .thenRefused(
        invalid('Questions must leave at most 500 in the survey; with those that stay it would have 501'),
      );
    given(created({ questions: [q1, { ...q3, answerOptions: options, lastOption: 100 }, q4] }))
      .when(ask({ ...how, Key: 'Q3' }))
      .thenRefused(
        invalid(
          'Questions[1].AnswerOptions must leave at most 100 options; with those that stay there would be 102',
        ),
      );
  });
});
