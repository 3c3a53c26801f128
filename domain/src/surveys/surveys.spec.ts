import tap from 'tap';
import {
  changeState,
  content,
  cover,
  create,
  created,
  given,
  how,
  stored,
  thanks,
  why,
} from '../testing/survey-fixtures.js';
import * as surveys from './index.js';

tap.test('create: happened', async (t) => {
  t.test('keys and option values count from 1 in the order sent', async () => {
    given()
      .when(create({ Questions: [cover, why, how, thanks] }))
      .then(created());
  });

  t.test('the selection rule is kept as sent, and twins in one body are two questions', async () => {
    const SurveySelectionRule = ' {"EnabledLanguages":"[{"id":1045,"label":"English","code":"en"}]"} ';
    given()
      .when(create({ SurveySelectionRule, Questions: [thanks, why, why, cover] }))
      .then(
        created({
          surveySelectionRule: SurveySelectionRule,
          questions: [
            stored('Q1', 99, 'Thanks'),
            stored('Q2', 3, 'Why?'),
            stored('Q3', 3, 'Why?'),
            stored('Q4', 1, 'Welcome'),
          ],
        }),
      );
  });
});

tap.test('create: refused', async (t) => {
  t.test('a body with problems', async () => {
    given()
      .when(create({ Name: '', Questions: [cover, thanks] }))
      .thenRefused({ kind: 'invalid', problems: ['Name must not be blank'] });
  });

  t.test('more than a thousand problems are counted', async (t) => {
    const Questions = [
      cover,
      ...Array<number>(498).fill(0),
      { Type: 99, Texts: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [n + 1, ''])) },
    ];
    const decision = surveys.decide(create({ Questions }), surveys.initialState());
    t.match(decision, { kind: 'refused', rejection: { problems: { length: 1001 } } });
    t.match(decision, { rejection: { problems: { 1000: '... and 98 more' } } });
  });

  t.test('a survey of which GET would answer with more than 1 MiB', async (t) => {
    const questions = Array<object>(498).fill({ Type: 3, Texts: { '1045': 'x'.repeat(1_900) } });
    const asked = (more: number) =>
      surveys.decide(
        create({ SurveySelectionRule: `{}${' '.repeat(more)}`, Questions: [cover, ...questions, thanks] }),
        surveys.initialState(),
      );
    const answered = (decision: ReturnType<typeof surveys.decide>): number =>
      decision.kind === 'events' && decision.events[0]
        ? JSON.stringify(surveys.surveyAnswer(surveys.surveyDocument(decision.events[0].data))).length
        : 0;
    const room = 1024 * 1024 - answered(asked(0));
    t.equal(answered(asked(room)), 1024 * 1024);
    const problem = 'The survey must be at most 1048576 bytes, as it is answered; it would be 1048577';
    t.same(asked(room + 1), { kind: 'refused', rejection: { kind: 'invalid', problems: [problem] } });
  });

  t.test('a number that was given twice is a bug', async (t) => {
    t.throws(() => given(created()).when(create({ Questions: [cover, thanks] })), /given twice/);
  });
});

tap.test('changes of state', async (t) => {
  t.test('happened', async () => {
    given(created())
      .when(changeState(3))
      .then({ name: 'SurveyStateChanged', data: { ...content, state: 3 } });
  });
  t.test('ignored: the state it has', async () => {
    given(created(), { name: 'SurveyStateChanged', data: { ...content, state: 3 } })
      .when(changeState(3))
      .thenNothing();
  });
  t.test('refused: unknown, and of another company', async () => {
    given().when(changeState(1)).thenRefused({ kind: 'unknown-survey' });
    given(created()).when(changeState(1, 8)).thenRefused({ kind: 'unknown-survey' });
  });
});
