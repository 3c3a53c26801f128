import { exactly } from '@rollcall/employee-lists/testing';
import tap from 'tap';
import { cover, text, thanks, values, why } from '../testing/survey-fixtures.js';
import { readStateChange, readSurvey } from './read-survey.js';

const survey = { ...values, Questions: [cover, why, thanks] };
const existing = { ...survey, Id: 1, SurveyDefinitionId: 2 };

const created = (changes: object) => readSurvey({ ...survey, ...changes }, 'create').problems;
const updated = (changes: object) => readSurvey({ ...existing, ...changes }, 'update').problems;
const asked = (...questions: unknown[]) => created({ Questions: [cover, ...questions, thanks] });
const askedAgain = (...questions: unknown[]) => updated({ Questions: [cover, ...questions, thanks] });

tap.test('accepted', async (t) => {
  t.test('a survey, with null for what is optional and unknown members', async (t) => {
    t.same(
      created({ Id: null, SurveyDefinitionId: 0, SurveySelectionRule: null, Valid: true, EditingLang: 1 }),
      [],
    );
    t.same(
      asked({ Type: 4, Key: null, Deleted: false, AnswerOptions: null, Texts: text('Body'), Editing: 1 }),
      [],
    );
    t.same(updated({}), []);
  });

  t.test('values at each limit', async (t) => {
    const Questions = Array.from({ length: 498 }, (_, n) => ({ Type: 3, Texts: text(`${n}`) }));
    t.same(created({ Name: '😀'.repeat(50), CompanyId: Number.MAX_SAFE_INTEGER }), []);
    t.same(created({ Questions: [...Questions, cover, thanks] }), []);
    t.same(asked({ Type: 3, Texts: { '9007199254740991': '😀'.repeat(4000) } }), []);
    t.same(asked({ Type: 2, Texts: text('a'), AnswerOptions: Array(100).fill({ Texts: text('b') }) }), []);
    t.same(created({ Start: '1999-01-01T00:00:00Z', End: '1999-01-01T00:00:00.001Z' }), []);
  });
});

tap.test('refused: the survey itself', async (t) => {
  t.test('a body that is no object', async (t) => {
    for (const body of [null, [], 1, 'x', undefined]) {
      t.same(readSurvey(body, 'create').problems, ['The body must be a survey: a JSON object']);
    }
  });

  t.test('everything that is missing, at once', async (t) => {
    const rest = ['CompanyId', 'Name', 'Start', 'End', 'State', 'Questions'].map(
      (name) => `${name} is required`,
    );
    t.same(readSurvey({}, 'create').problems, rest);
    t.same(readSurvey({}, 'update').problems, ['Id is required', 'SurveyDefinitionId is required', ...rest]);
  });

  t.test('wrong values', async (t) => {
    for (const [member, value, problem] of [
      ['Name', ' ', 'Name must not be blank'],
      ['Name', 'x'.repeat(51), 'Name must have at most 50 characters'],
      ['Name', 'a\0', 'Name must not contain NUL or half a surrogate pair'],
      ['Name', 5, 'Name must be a string'],
      ['CompanyId', 0, 'CompanyId must be a positive integer'],
      ['CompanyId', '7', 'CompanyId must be a positive integer'],
      ['CompanyId', 1.5, 'CompanyId must be a positive integer'],
      ['CompanyId', 2 ** 53, 'CompanyId must be a positive integer'],
      ['Start', '2020-02-30T00:00:00Z', 'Start must be a date that exists, yyyy-MM-ddTHH:mm:ssZ'],
      ['End', '2026-06-01T02:00:00+02:00', 'End must be in UTC, ending in Z: yyyy-MM-ddTHH:mm:ssZ'],
      ['Start', [survey.Start], 'Start must be a date that exists, yyyy-MM-ddTHH:mm:ssZ'],
      ['End', survey.Start, 'End must be after Start'],
      ['End', '2026-05-01T02:00:00.000Z', 'End must be after Start'],
      ['State', 0, 'State must be 1 (Draft), 2 (Active) or 3 (Inactive)'],
      ['State', '2', 'State must be 1 (Draft), 2 (Active) or 3 (Inactive)'],
      ['SurveySelectionRule', {}, 'SurveySelectionRule must be a string that holds a JSON object'],
      ['SurveySelectionRule', '{"__proto__":1}', /JSON object, without __proto__ and constructor.prototype$/],
      ['SurveySelectionRule', '{"Frequency":"Daily"}', /^SurveySelectionRule.Frequency must be/],
      ['Questions', {}, 'Questions must be an array'],
      ['Id', 3, /^Id must be absent.*\/survey\/Update/],
      ['SurveyDefinitionId', '0', /^SurveyDefinitionId must be absent.*\/survey\/Update/],
    ] as const) {
      t.match(created({ [member]: value }), exactly([problem]), member);
    }
    for (const member of ['Id', 'SurveyDefinitionId']) {
      t.same(updated({ [member]: 0 }), [`${member} must be a positive integer`]);
    }
  });

  t.test('what cannot be read is null, 0 or empty', async (t) => {
    const { sent } = readSurvey({ CompanyId: 'x', SurveySelectionRule: 1 }, 'update');
    const nothing = { id: null, surveyDefinitionId: null, companyId: null, surveySelectionRule: null };
    t.strictSame(sent, { ...nothing, name: '', start: '', end: '', state: 0, questions: [] });
    t.match(readSurvey(existing, 'update').sent, { id: 1, surveyDefinitionId: 2, companyId: 7 });
    const { id, surveySelectionRule } = readSurvey(survey, 'create').sent;
    t.strictSame([id, surveySelectionRule], [null, null], 'absent');
  });

  t.test('names of existing clients', async (t) => {
    t.same(created({ Start: null, StartDate: survey.Start, EndDate: '2026-06-01T02:00:00.0Z' }), []);
    t.same(asked({ StepType: 3, Texts: text('a') }, { Type: 3, StepType: 3, Texts: text('a') }), []);
    const Questions = [
      cover,
      { Type: 3, StepType: 4, Texts: text('a') },
      { StepType: 5, Texts: text('a') },
      thanks,
    ];
    t.match(
      created({ Start: null, StartDate: 'x', EndDate: '2026-07-01T02:00:00Z', Questions }),
      exactly([
        'StartDate must be a date that exists, yyyy-MM-ddTHH:mm:ssZ',
        'EndDate must equal End, or be left out',
        'Questions[1].StepType must equal Type, or be left out',
        /^Questions\[2\]\.StepType must be 1 /,
      ]),
    );
  });

  t.test('pages that are missing or there twice', async (t) => {
    t.same(created({ Questions: [] }), [
      'Questions must contain exactly one cover page (Type 1)',
      'Questions must contain exactly one thank-you page (Type 99)',
    ]);
    t.same(asked(cover), ['Questions must contain exactly one cover page (Type 1)']);
    t.same(askedAgain(thanks), ['Questions must contain exactly one thank-you page (Type 99)']);
  });

  t.test('too many questions', async (t) => {
    t.same(asked(...Array<object>(499).fill({ Type: 3, Texts: text('a') })), [
      'Questions must have at most 500 elements',
    ]);
  });
});

tap.test('refused: questions', async (t) => {
  t.test('wrong values, with their paths', async (t) => {
    t.same(asked(7, { Type: 5 }, { Texts: [] }, { Type: '3', Texts: {} }), [
      'Questions[1] must be an object',
      'Questions[2].Type must be 1 (cover page), 2 (answer options), 3 (text answer), 4 (body question) or 99 (thank-you page)',
      'Questions[2].Texts is required',
      'Questions[3].Type is required',
      'Questions[3].Texts must be an object that maps language ids to texts',
      'Questions[4].Type must be 1 (cover page), 2 (answer options), 3 (text answer), 4 (body question) or 99 (thank-you page)',
      'Questions[4].Texts must contain at least one language',
    ]);
  });

  t.test('wrong texts', async (t) => {
    const Texts = {
      1045: '',
      1041: ' ',
      7: 'x'.repeat(4001),
      8: null,
      9: '\ud83d',
      en: 'a',
      '01': 'a',
      '1e3': 'a',
      '0': 'a',
      '9007199254740992': 'a',
      ['k'.repeat(99)]: 'a',
    };
    const notNamed = (name: string) =>
      `Questions[1].Texts.${name} must be named by a language id, a positive integer`;
    t.strictSame(
      new Set(asked({ Type: 3, Texts })),
      new Set([
        'Questions[1].Texts.1045 must not be empty',
        'Questions[1].Texts.1041 must not be blank',
        'Questions[1].Texts.7 must have at most 4000 characters',
        'Questions[1].Texts.8 must be a string',
        'Questions[1].Texts.9 must not contain NUL or half a surrogate pair',
        ...['en', '01', '1e3', '0', '9007199254740992', `${'k'.repeat(40)}…`].map(notNamed),
      ]),
    );
  });

  t.test('keys in a new survey', async (t) => {
    t.match(
      asked({ Type: 3, Key: 'Q2', Texts: text('a') }),
      exactly([/^Questions\[1\]\.Key must be absent.*\/survey\/Update/]),
    );
    t.match(asked({ Type: 3, Key: '', Texts: text('a') }), exactly([/^Questions\[1\]\.Key must be absent/]));
    t.match(
      asked({ Type: 3, Deleted: true, Texts: text('a') }),
      exactly([/^Questions\[1\]\.Deleted must not be true in a new survey/]),
    );
    t.match(
      asked({ Type: 2, Texts: text('a'), AnswerOptions: [{ LabelKey: 'Q2_1', Texts: text('a') }] }),
      exactly([/^Questions\[1\]\.AnswerOptions\[0\]\.LabelKey must be absent/]),
    );
  });

  t.test('keys in an update', async (t) => {
    t.same(
      askedAgain(
        { Type: 3, Key: '', Texts: text('a') },
        { Type: 3, Key: 5, Texts: text('a') },
        { Type: 3, Key: 'Q'.repeat(21), Texts: text('a') },
        { Type: 3, Deleted: true },
        { Key: 'Q4', Deleted: 'yes', Type: 3, Texts: text('a') },
        { Key: 'Q4', Deleted: true },
        { Key: 'Q5', Deleted: false, Type: 3, Texts: {} },
      ),
      [
        'Questions[1].Key must be a string that is not empty',
        'Questions[2].Key must be a string that is not empty',
        'Questions[3].Key must have at most 20 characters',
        'Questions[4].Deleted must not be true without a Key',
        'Questions[5].Deleted must be true or false',
        'Questions[7].Texts must contain at least one language',
        'Questions[6].Key must differ from Questions[5].Key',
      ],
    );
  });

  t.test('answer options', async (t) => {
    const question = (AnswerOptions: unknown, more = {}) => ({
      Type: 2,
      Texts: text('a'),
      AnswerOptions,
      ...more,
    });
    const option = { Texts: text('b') };
    t.same(
      asked(
        question(undefined),
        question([]),
        question({}),
        question([1, {}]),
        question(Array(101).fill(option)),
      ),
      [
        'Questions[1].AnswerOptions is required for Type 2',
        'Questions[2].AnswerOptions must not be empty for Type 2',
        'Questions[3].AnswerOptions must be an array',
        'Questions[4].AnswerOptions[0] must be an object',
        'Questions[4].AnswerOptions[1].Texts is required',
        'Questions[5].AnswerOptions must have at most 100 elements',
      ],
    );
    t.same(asked(question([option], { Type: 3 }), question({}, { Type: 4 }), question('', { Type: 4 })), [
      'Questions[1].AnswerOptions must be absent except for Type 2',
      'Questions[2].AnswerOptions must be absent except for Type 2',
      'Questions[3].AnswerOptions must be absent except for Type 2',
    ]);
    t.same(
      asked(question([], { Type: 3 }), question([], { Type: 4 })),
      [],
      'an empty array counts as absent',
    );
    t.same(
      askedAgain(
        question([{ ...option, LabelKey: 'Q2_1' }]),
        question([{ Deleted: true }], { Key: 'Q2' }),
        question(
          [
            { LabelKey: 'Q3_1', Deleted: true },
            { LabelKey: 'Q3_1', ...option },
          ],
          { Key: 'Q3' },
        ),
      ),
      [
        'Questions[1].AnswerOptions[0].LabelKey must be absent where the question has no Key',
        'Questions[2].AnswerOptions[0].Deleted must not be true without a LabelKey',
        'Questions[3].AnswerOptions[1].LabelKey must differ from Questions[3].AnswerOptions[0].LabelKey',
      ],
    );
  });
});

tap.test('changes of state', async (t) => {
  t.same(readStateChange('3', [5, 4, 5]), { state: 3, surveyIds: [5, 4], problems: [] });
  t.same(readStateChange('1', []).problems, []);
  t.same(readStateChange('1', Array(1000).fill(1)).problems, []);
  for (const state of ['0', '4', '02', '2.0', '', 'Active', '1e0']) {
    t.same(
      readStateChange(state, [1]).problems,
      ['The state in the path must be 1 (Draft), 2 (Active) or 3 (Inactive)'],
      state,
    );
  }
  for (const body of [{}, null, 1, 'x'])
    t.same(readStateChange('1', body).problems, ['The body must be an array of survey ids']);
  t.same(readStateChange('9', [1, 0, '2', null, 2 ** 53]).problems, [
    'The state in the path must be 1 (Draft), 2 (Active) or 3 (Inactive)',
    ...[1, 2, 3, 4].map((at) => `[${at}] must be a survey id, a positive integer`),
  ]);
  t.same(readStateChange('1', Array(1001).fill(1)).problems, ['The body must have at most 1000 survey ids']);
});
