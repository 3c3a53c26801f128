import { decideAndAppend, EventLogUnavailable, systemClock, type EventLog } from '@rollcall/application';
import type { Adapters } from '@rollcall/adapters';

import tap, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { startTestApp, testContext, type TestApp } from '../support/test-app.js';
import {
  cover,
  create,
  foreignToken,
  newSurvey,
  post,
  read,
  text,
  thanks,
  updateOf,
} from './surveys.support.js';
import { withMembers } from '../support/with-members.js';

tap.test('refused calls change nothing', async (t) => {
  const app = await startTestApp(t);
  const id = await create(t, app);
  const events = await app.eventCount();
  const before = await read(t, app, id);
  await t.test('all problems at once', (t) => allProblems(t, app, id));
  await t.test('another company', (t) => anotherCompany(t, app, id));
  await t.test('bodies that are no survey', (t) => noSurvey(t, app));
  t.equal(await app.eventCount(), events);
  t.same(await read(t, app, id), before);
});

async function allProblems(t: Test, app: TestApp, id: number): Promise<void> {
  const created = await post(
    app,
    '/survey',
    newSurvey({ Id: 3, Name: ' ', Questions: [cover, { Type: 3, Texts: { '1045': '' } }] }),
  );
  t.equal(created.status, 400);
  t.strictSame(created.json, {
    Message: 'The survey is not valid.',
    ValidationErrors: [
      'Id must be absent, null or 0 in a new survey; an existing one is changed by /survey/Update',
      'Name must not be blank',
      'Questions[1].Texts.1045 must not be empty',
      'Questions must contain exactly one thank-you page (Type 99)',
    ],
  });
  const { surveyDefinitionId } = await read(t, app, id);
  const body = await updateOf(t, app, id, {
    SurveyDefinitionId: surveyDefinitionId + 1,
    Questions: [
      cover,
      { Type: 4, Key: 'Q2', Texts: text('a') },
      { Type: 3, Key: 'Q9', Texts: text('a') },
      thanks,
    ],
  });
  const updated = await post(app, '/survey/Update', body);
  t.equal(updated.status, 400);
  t.strictSame(updated.json, {
    Message: 'The survey is not valid.',
    ValidationErrors: [
      `SurveyDefinitionId must be ${surveyDefinitionId}: it cannot change`,
      'Questions[1].Type must be 3, as Q2 has it: the Type of a question cannot change',
      'Questions[2].Key is unknown; the questions of this survey are Q1, Q2, Q3',
    ],
  });
  t.equal((await post(app, '/survey?dryRun=true', newSurvey())).status, 400, 'an unknown query parameter');
}

async function anotherCompany(t: Test, app: TestApp, id: number): Promise<void> {
  for (const [path, body] of [
    ['/survey', newSurvey({ CompanyId: 8 })],
    ['/survey', { CompanyId: 8, Name: 5 }],
    ['/survey/Update', { CompanyId: 8 }],
  ] as const) {
    const answer = await post(app, path, body);
    t.equal(answer.status, 401, JSON.stringify(body));
    t.strictSame(answer.json, { Message: 'Authorization has been denied for this request.' });
    t.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
  for (const CompanyId of [0, -7, '7', null, 7.5, 2 ** 53]) {
    const answer = await post(app, '/survey', newSurvey({ CompanyId }));
    t.equal(answer.status, 400, String(CompanyId));
  }
  const own = await updateOf(t, app, id, {});
  for (const [body, Id, token] of [
    [{ ...own, Id: 999_999 }, 999_999, app.token()],
    [newSurvey({ CompanyId: 8, Id: id, SurveyDefinitionId: 1 }), id, foreignToken(app)],
  ] as const) {
    const answer = await post(app, '/survey/Update', body, { token });
    t.equal(answer.status, 404, 'a foreign survey answers as an unknown one');
    t.match(answer.json, { Message: new RegExp(`^Survey ${Id} is unknown`) });
  }
  for (const path of ['/survey', '/survey/Update', '/Survey/ChangeState/2'])
    t.equal((await post(app, path, [id], { token: null })).status, 401, path);
}

async function noSurvey(t: Test, app: TestApp): Promise<void> {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '7',
    '"x"',
    '{"__proto__":{"CompanyId":7}}',
    nested,
    new Uint8Array([0x22, 0xff, 0x22]),
  ]) {
    for (const path of ['/survey', '/survey/Update', '/Survey/ChangeState/2']) {
      if (body === '[]' && path.startsWith('/Survey')) continue;
      const answer = await post(app, path, body);
      t.equal(answer.status, 400, `${path} ${String(body).slice(0, 40)}`);
      t.match(answer.json, { Message: String, ValidationErrors: exactly([String]) });
    }
  }
  const long = await post(app, '/survey', newSurvey({ Name: 'x'.repeat(1024 * 1024) }));
  t.equal(long.status, 413);
}

/** The log with another `append`. */
function withAppend({ log, readModels }: Adapters, append: (log: EventLog) => EventLog['append']) {
  return { log: withMembers(log, { append: append(log) }), readModels };
}

tap.test('an outage between two changes of state: a repeat finishes the rest', async (t) => {
  let left = Infinity;
  const app = await startTestApp(t, {
    wrap: (adapters) =>
      withAppend(adapters, (log) => (...request) => {
        if (left-- <= 0) return Promise.reject(new EventLogUnavailable('away'));
        return log.append(...request);
      }),
  });
  const ids = [await create(t, app), await create(t, app), await create(t, app)];
  const states = async () => Promise.all(ids.map(async (id) => (await read(t, app, id)).state));
  left = 1;
  const interrupted = await post(app, '/Survey/ChangeState/3', ids);
  t.equal(interrupted.status, 503);
  t.ok(interrupted.headers.get('retry-after'));
  await app.projected();
  t.same(await states(), [3, 1, 1]);
  left = Infinity;
  t.equal((await post(app, '/Survey/ChangeState/3', ids)).status, 200);
  t.same(await states(), [3, 3, 3]);
});

/** As another process does it. */
async function reserveBlock(log: EventLog): Promise<void> {
  const context = testContext();
  const fold = { initial: () => 0, evolve: (given: number) => given + 1 };
  const decide = (given: number) => ({
    kind: 'events' as const,
    events: [{ name: 'SurveyIdsReserved' as const, data: { first: given * 64 + 1, count: 64 as const } }],
  });
  await decideAndAppend({ log, clock: systemClock }, { stream: 'surveyids', context, fold, decide });
}

tap.test('two processes that reserve numbers at once get different ones', async (t) => {
  let rivals = 0;
  const app = await startTestApp(t, {
    wrap: (adapters) =>
      withAppend(adapters, (log) => async (stream, expected, events) => {
        if (stream === 'surveyids' && rivals++ === 0) await reserveBlock(log);
        return log.append(stream, expected, events);
      }),
  });
  t.equal(await create(t, app), 65, 'the first block is the other one’s');
  const more = await Promise.all(Array.from({ length: 80 }, () => create(t, app)));
  t.equal(new Set(more).size, 80);
  const definitions = await Promise.all(more.map(async (id) => (await read(t, app, id)).surveyDefinitionId));
  t.equal(new Set([...more, ...definitions]).size, 160, 'ids and definitions are different numbers');
  t.ok([...more, ...definitions].every((number) => number > 64));
});

tap.test('without a projector the answer comes all the same, after a second', async (t) => {
  const app = await startTestApp(t, { projector: false });
  const started = Date.now();
  const id = await create(t, app);
  t.ok(Date.now() - started >= 900);
  t.equal((await app.call('GET', `/v1.0/Survey/${id}`)).status, 404);
});
