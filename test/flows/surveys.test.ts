import tap, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import {
  cover,
  create,
  foreignToken,
  newSurvey,
  post,
  read,
  sample,
  text,
  thanks,
  updateOf,
  why,
} from './surveys.support.js';

tap.test('surveys, from their creation on', async (t) => {
  const app = await startTestApp(t);
  t.test('the published payloads', (t) => publishedPayloads(t, app));
  t.test('reading', (t) => reading(t, app));
  t.test('updating', (t) => updating(t, app));
  t.test('changing the state', (t) => changingTheState(t, app));
  t.test('paths are case-insensitive', (t) => paths(t, app));
});

async function publishedPayloads(t: Test, app: TestApp): Promise<void> {
  const body = await sample('survey-create');
  const created = await post(app, '/survey', body);
  t.equal(created.status, 200, created.text);
  t.match(created.headers.get('content-type'), /^application\/json/);
  const id = Number(created.text);
  const survey = await read(t, app, id);
  t.equal(survey.surveySelectionRule, body['SurveySelectionRule'], 'kept as sent, mis-escaped as it is');
  t.match(survey, { id, name: 'Autumn pulse', companyId: 7, state: 2, start: '2026-05-01T02:00:00.000Z' });
  t.same(
    survey.questions.map(({ order, key, type, configuration }) => [order, key, type, configuration]),
    [
      [1, 'Q1', 1, null],
      [2, 'Q2', 3, null],
      [3, 'Q3', 99, null],
    ],
  );
  t.equal(survey.questions[1]?.texts['1041'], 'Hvad ville gøre din uge bedre?');

  const update = await sample('survey-update');
  const refused = await post(app, '/survey/Update', update);
  t.equal(refused.status, 400);
  t.match(refused.json, {
    ValidationErrors: exactly([
      'Id must be a positive integer',
      'SurveyDefinitionId must be a positive integer',
    ]),
  });
  const fitting = { ...update, Id: id, SurveyDefinitionId: survey.surveyDefinitionId };
  for (const time of ['first', 'second']) {
    const updated = await post(app, '/survey/update', fitting);
    t.equal(updated.status, 200, updated.text);
    t.equal(updated.text, '', time);
    const keys = (await read(t, app, id)).questions.map(({ key }) => key);
    t.same(keys, ['Q1', 'Q2', 'Q4', 'Q3'], 'inserted once, in the position sent');
  }

  const withOptions = await post(app, '/survey', await sample('survey-with-options'));
  const { questions } = await read(t, app, Number(withOptions.text));
  t.equal(
    questions[1]?.configuration,
    '{"AnswerOptions":[{"LabelKey":"Q2_1","Value":1,"Texts":{"1045":"Great."}},{"LabelKey":"Q2_2","Value":2,"Texts":{"1045":"As always."}}]}',
  );
}

async function reading(t: Test, app: TestApp): Promise<void> {
  const first = await create(t, app, { Name: 'Ærø 😀', State: 3 });
  const foreign = await create(t, app, { CompanyId: 8, State: 3 }, { token: foreignToken(app) });
  const list = async (query: string) => {
    const answer = await app.call('GET', `/v1.0/Survey${query}`);
    t.equal(answer.status, 200, answer.text);
    return answer.json as { id: number; state: number }[];
  };
  t.same(await list('?companyId=7&State=3'), [
    {
      id: first,
      name: 'Ærø 😀',
      companyId: 7,
      start: '2026-05-01T02:00:00Z',
      end: '2026-06-01T02:00:00Z',
      state: 3,
      surveyDefinitionId: (await read(t, app, first)).surveyDefinitionId,
      startDate: '2026-05-01T02:00:00Z',
      endDate: '2026-06-01T02:00:00Z',
    },
  ]);
  t.same(await list('?COMPANYID=7&state=3'), await list('?State=3'));
  const all = await list('');
  t.ok(all.length > 1);
  t.same(
    all.map(({ id }) => id),
    all.map(({ id }) => id).sort((a, b) => a - b),
    'in the order of their ids',
  );
  t.notOk(all.some(({ id }) => id === foreign));
  t.equal((await app.call('GET', '/v1.0/Survey?companyId=8')).status, 401);
  for (const query of ['companyId=0', 'companyId=x', 'companyId=', 'State=4', 'Stat=1']) {
    const answer = await app.call('GET', `/v1.0/Survey?${query}`);
    t.equal(answer.status, 400, query);
    t.match(answer.json, { Message: String, ValidationErrors: exactly([String]) }, query);
  }
  for (const id of [foreign, 999_999]) {
    const answer = await app.call('GET', `/v1.0/Survey/${id}`);
    t.equal(answer.status, 404, String(id));
    t.match(answer.json, { Message: /is unknown in your company/ });
  }
  t.equal(
    (
      await app.call('GET', `/v1.0/Survey/${first}`, {
        token: app.token({ claims: { sub: '2', roles: [] } }),
      })
    ).status,
    200,
  );
}

async function updating(t: Test, app: TestApp): Promise<void> {
  const id = await create(t, app, { SurveySelectionRule: '{}' });
  const Questions = [
    cover,
    { ...why, Key: 'Q2', Texts: text('When?') },
    { Type: 4, Texts: text('More') },
    thanks,
  ];
  const body = await updateOf(t, app, id, { Name: 'New', Questions });
  t.equal((await post(app, '/survey/Update', body)).status, 200);
  const events = await app.eventCount();
  const after = await read(t, app, id);
  t.match(after, { name: 'New', surveySelectionRule: null });
  t.same(
    after.questions.map(({ key, texts }) => [key, texts['1045']]),
    [
      ['Q1', 'Welcome'],
      ['Q2', 'When?'],
      ['Q4', 'More'],
      ['Q3', 'Thanks'],
    ],
  );
  t.equal((await post(app, '/survey/Update', body)).status, 200);
  t.equal(await app.eventCount(), events, 'the same update again leaves no event');
  t.same(await read(t, app, id), after);

  const together = Array.from({ length: 8 }, (_, n) =>
    updateOf(t, app, id, { Questions: [cover, { Type: 3, Texts: text(`Question ${n}`) }, thanks] }),
  );
  const answers = await Promise.all(together.map(async (one) => post(app, '/survey/Update', await one)));
  t.same(
    answers.map(({ status }) => status),
    Array(8).fill(200),
  );
  const keys = (await read(t, app, id)).questions.map(({ key }) => key);
  t.equal(keys.length, 12, 'updates at the same time all count');
  t.equal(new Set(keys).size, 12);
}

async function changingTheState(t: Test, app: TestApp): Promise<void> {
  const ids = [await create(t, app), await create(t, app), await create(t, app)];
  const foreign = await create(t, app, { CompanyId: 8 }, { token: foreignToken(app) });
  const states = async () => Promise.all(ids.map(async (id) => (await read(t, app, id)).state));
  const events = await app.eventCount();
  for (const [path, body, status] of [
    ['2', [...ids, 999_999], 404],
    ['2', [...ids, foreign], 404],
    ['4', ids, 400],
    ['Active', ids, 400],
    ['2', [...ids, 'x'], 400],
    ['2', {}, 400],
    ['2?x=1', ids, 400],
  ] as const) {
    const answer = await post(app, `/Survey/ChangeState/${path}`, body);
    t.equal(answer.status, status, answer.text);
    t.match(answer.json, { Message: String });
  }
  t.equal(await app.eventCount(), events, 'a refusal changes nothing');
  const changed = await post(app, '/Survey/ChangeState/2', [...ids, ids[0]]);
  t.same([changed.status, changed.text], [200, '']);
  t.same(await states(), [2, 2, 2]);
  t.equal(await app.eventCount(), events + 3);
  t.equal((await post(app, '/Survey/ChangeState/2', ids)).status, 200);
  t.equal(await app.eventCount(), events + 3, 'a repeat leaves no event');
  t.equal((await post(app, '/Survey/ChangeState/1', [])).status, 200);
}

async function paths(t: Test, app: TestApp): Promise<void> {
  const id = await create(t, app);
  for (const path of [`/V1.0/SURVEY/${id}`, `/v1.0/survey/${id}/`])
    t.equal((await app.call('GET', path)).status, 200, path);
  t.equal((await post(app, '/SURVEY/', {})).status, 400);
  t.equal((await post(app, '/survey/UPDATE/', {})).status, 400);
  t.equal((await post(app, '/survey/changestate/2/', [id])).status, 200);
  for (const path of ['/v1.0/Survey/Update', '/v1.0/Survey/ChangeState/2']) {
    const answer = await app.call('GET', path);
    t.equal(answer.status, 405, path);
    t.equal(answer.headers.get('allow'), 'POST');
  }
}

tap.test('the list parses no questions, and takes no text for them', async (t) => {
  const app = await startTestApp(t, { shape: 'one' });
  const names = [',"questions":[', 'a,', '"questions":', '\\",'];
  for (const Name of names)
    await create(t, app, { Name, Questions: [cover, { ...why, Texts: text('x'.repeat(4_000)) }, thanks] });
  await app.projected();
  const { parse } = JSON;
  let longest = 0;
  JSON.parse = (json: string, reviver?: Parameters<typeof parse>[1]): unknown => {
    longest = Math.max(longest, json.length);
    return parse(json, reviver);
  };
  t.teardown(() => (JSON.parse = parse));
  const { json } = await app.call('GET', '/v1.0/Survey');
  t.match(json, exactly(names.map((name) => ({ name, state: 1, startDate: newSurvey().Start }))));
  t.ok(longest < 3_000, `${longest} characters`);
});
