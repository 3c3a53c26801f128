import tap from 'tap';
import { checkSelectionRule } from './selection-rule.js';

const english = { id: 1045, label: 'English', code: 'en' };
const danish = { id: 1041, label: 'Da"n[i]sk\\', code: 'da' };

const problemsOf = (text: string): readonly string[] => {
  const problems: string[] = [];
  checkSelectionRule(text, (problem) => problems.push(problem));
  return problems;
};

tap.test('accepted', async (t) => {
  t.test('nothing is required, null is absent, unknown members are left alone', async (t) => {
    t.same(problemsOf('{}'), []);
    t.same(
      problemsOf('{"Frequency":null,"EnabledLanguages":null,"Filters":null,"Filter":null,"Other":[1]}'),
      [],
    );
  });

  t.test('languages as an array and as a string that holds it', async (t) => {
    const list = [english, danish];
    for (const EnabledLanguages of [list, JSON.stringify(list)]) {
      const rule = { Frequency: 'Monthly', EnabledLanguages, Filters: { Manager: 'JENSEN' } };
      t.same(problemsOf(JSON.stringify(rule, null, 1)), []);
    }
  });

  t.test('the published form, whose inner quotes are not escaped', async (t) => {
    for (const list of [[english], [english, danish], [{ ...english, more: [[']"']] }]]) {
      const ruleWith = (languages: unknown, frequency = 'Quarterly') =>
        `{"": "", "Frequency": "${frequency}", "X": {"EnabledLanguages":"[no]"}, "EnabledLanguages" : "${JSON.stringify(languages)}", "Filter": {"A": "b"}}`;
      t.same(problemsOf(ruleWith(list)), []);
      t.same(problemsOf(ruleWith([...list, 7], 'Daily')), [
        'SurveySelectionRule.Frequency must be Hourly, Monthly, Quarterly or Continuous',
        `SurveySelectionRule.EnabledLanguages[${list.length}] must be an object with id, label and code`,
      ]);
    }
  });
});

tap.test('refused', async (t) => {
  const noObject = 'SurveySelectionRule must be a string that holds a JSON object';
  const refusalOf = (text: string): string[] => [
    text.includes('proto') ? `${noObject}, without __proto__ and constructor.prototype` : noObject,
  ];

  t.test('what is no JSON object', async (t) => {
    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '1',
      '"{}"',
      '{',
      '{"__proto__":{}}',
      '{"constructor":{"prototype":{}}}',
    ]) {
      t.same(problemsOf(text), refusalOf(text), text);
    }
  });

  t.test('any other damage near the published form', async (t) => {
    for (const text of [
      '{"EnabledLanguages":"[{"id":1}]}',
      '{"EnabledLanguages":"[{"id":1}"}',
      '{"EnabledLanguages":"{"id":1}"}',
      '{"EnabledLanguages":" [{"id":1}]"}',
      '{"EnabledLanguages":"[{"id":1}] "}',
      '{"EnabledLanguages":"[{"id":1}]x}',
      '{"EnabledLanguages":"[{"id":1}]","Frequency":"Hou"rly"}',
      '{"Filters":"[{"id":1}]"}',
      '{"X":{"EnabledLanguages":"[{"id":1}]"}}',
      '{"EnabledLanguages":"[{"id":1,"__proto__":2}]"}',
      '{"EnabledLanguages',
    ]) {
      t.same(problemsOf(text), refusalOf(text), text);
    }
  });

  t.test('all wrong members at once, each with its path', async (t) => {
    const text = JSON.stringify({
      Frequency: 'Daily',
      EnabledLanguages: [{ id: '1', label: 2 }, 3, english],
      Filters: { Manager: 1 },
      Filter: [],
    });
    t.same(problemsOf(text), [
      'SurveySelectionRule.Frequency must be Hourly, Monthly, Quarterly or Continuous',
      'SurveySelectionRule.EnabledLanguages[0].id must be a positive integer',
      'SurveySelectionRule.EnabledLanguages[0].label must be a string',
      'SurveySelectionRule.EnabledLanguages[0].code must be a string',
      'SurveySelectionRule.EnabledLanguages[1] must be an object with id, label and code',
      'SurveySelectionRule.Filters.Manager must be a string',
      'SurveySelectionRule.Filter must be an object that maps filter names to strings',
    ]);
    for (const EnabledLanguages of ['x', '{}', 7, { a: 1 }]) {
      t.same(problemsOf(JSON.stringify({ EnabledLanguages })), [
        'SurveySelectionRule.EnabledLanguages must be an array of languages, or a string that holds one',
      ]);
    }
  });
});

tap.test('long texts of brackets and quotes take linear time', async (t) => {
  const started = process.hrtime.bigint();
  for (const unit of [']"', '["', '"EnabledLanguages":"[', '\\"', '{"a":']) {
    t.equal(problemsOf(`{"EnabledLanguages":"[${unit.repeat(200_000)}`).length, 1);
  }
  t.ok(process.hrtime.bigint() - started < 5_000_000_000n);
});
