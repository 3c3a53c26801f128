import { setTimeout as wait } from 'node:timers/promises';
import { idempotency } from '@rollcall/domain';
import t, { type Test } from 'tap';
import { exactly } from '../support/exactly.js';
import { FailingLog, type Crash } from '../support/failing-log.js';
import { ManualTime } from '../support/manual-timer.js';
import { startTestApp, type Answer, type TestApp, type TestAppOptions } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { create, foreignToken, newSurvey, post, read, updateOf } from './surveys.support.js';

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const replayed = ({ headers }: Answer): string | null => headers.get('idempotent-replayed');

async function surveyIds(app: TestApp): Promise<number[]> {
  await app.projected();
  return ((await app.call('GET', '/v1.0/Survey')).json as { id: number }[]).map(({ id }) => id);
}

/** An app whose log can crash. */
async function fragileApp(t: Test, options: TestAppOptions = {}) {
  let failing: FailingLog | undefined;
  const app = await startTestApp(t, {
    ...options,
    wrap: ({ log, readModels }) => ({ log: (failing = new FailingLog(log)).log, readModels }),
  });
  if (!failing) throw new Error('the app has no log');
  return { app, failing };
}

t.test('the same call again gets the first answer, and has no second effect', async (t) => {
  const app = await startTestApp(t);
  const first = await post(app, '/survey', newSurvey(), withKey('k1'));
  t.equal(first.status, 200);
  t.equal(replayed(first), null);
  const again = await post(app, '/SURVEY/', newSurvey(), withKey('"k1"'));
  t.equal(again.status, 200);
  t.equal(replayed(again), 'true');
  t.equal(again.text, first.text);
  t.same(await surveyIds(app), [Number(first.text)]);

  const id = Number(first.text);
  const older = await updateOf(t, app, id, { Name: 'Older' });
  const newer = await updateOf(t, app, id, { Name: 'Newer' });
  t.equal(
    replayed(await post(app, '/survey/Update', older, withKey('k1'))),
    null,
    'another path, another key',
  );
  t.equal((await post(app, '/survey/Update', newer)).status, 200);
  const late = await post(app, '/survey/update', older, withKey('k1'));
  t.same([late.status, late.text, replayed(late)], [200, '', 'true']);
  await app.projected();
  t.match(await read(t, app, id), { name: 'Newer' }, 'a repeat does not undo what came since');
});

t.test('an update that changes nothing is a call like any other', async (t) => {
  const app = await startTestApp(t);
  const id = await create(t, app);
  const same = await updateOf(t, app, id, {});
  t.equal((await post(app, '/survey/update', same, withKey('k'))).status, 200);
  t.equal((await post(app, '/survey/update', await updateOf(t, app, id, { Name: 'New' }))).status, 200);
  t.equal(replayed(await post(app, '/survey/update', same, withKey('k'))), 'true');
  await app.projected();
  t.match(await read(t, app, id), { name: 'New' });
});

t.test('another body is refused, another user has other keys', async (t) => {
  const app = await startTestApp(t);
  await post(app, '/survey', newSurvey(), withKey('k'));
  const events = await app.eventCount();
  const other = await post(app, '/survey', newSurvey({ Name: 'Other' }), withKey('k'));
  t.equal(other.status, 422);
  t.match(other.json, { Message: /another body/ });
  t.same(Object.keys(other.json as object), ['Message']);
  const invalid = await post(app, '/survey', newSurvey({ Name: '' }), withKey('k'));
  t.equal(invalid.status, 422, 'before its body is judged');
  t.equal(await app.eventCount(), events);
  const theirs = { ...withKey('k'), token: foreignToken(app) };
  const foreign = await post(app, '/survey', newSurvey({ CompanyId: 8, Name: 'Theirs' }), theirs);
  t.equal(foreign.status, 200, 'whoever has another company');
  const colleague = { ...withKey('k'), token: app.token({ claims: { sub: '2' } }) };
  t.equal(
    replayed(await post(app, '/survey', newSurvey(), colleague)),
    null,
    'or is another user of this one',
  );
});

t.test('a refusal frees the key', async (t) => {
  const app = await startTestApp(t);
  const events = await app.eventCount();
  t.equal((await post(app, '/survey', newSurvey({ Name: '' }), withKey('k'))).status, 400);
  t.equal(await app.eventCount(), events, 'an invalid body claims nothing and uses no numbers');
  const created = await post(app, '/survey', newSurvey(), withKey('k'));
  t.same([created.status, replayed(created)], [200, null]);

  const id = Number(created.text);
  const unknown = newSurvey({ Id: id + 1000, SurveyDefinitionId: 1 });
  t.equal((await post(app, '/survey/update', unknown, withKey('u'))).status, 404);
  t.equal((await post(app, '/survey/update', unknown, withKey('u'))).status, 404, 'judged anew');
  const known = await post(app, '/survey/update', await updateOf(t, app, id, { Name: 'New' }), withKey('u'));
  t.same([known.status, replayed(known)], [200, null]);
  t.equal((await post(app, '/survey/update', unknown, withKey('u'))).status, 422);
});

t.test('every event of a key has an id of its own', async (t) => {
  const app = await startTestApp(t);
  const unknown = newSurvey({ Id: 4711, SurveyDefinitionId: 1 });
  for (let i = 0; i < 2; i++) await post(app, '/survey/update', unknown, withKey('k'));
  const keyHash = idempotency.keyHash({ userId: 1, method: 'POST /v1.0/Survey/Update', key: 'k' });
  const events = [];
  for await (const { id, type } of app.adapters.log.readStream(`key-${keyHash}`)) events.push({ id, type });
  const [claimed, settled] = ['IdempotencyKeyClaimed', 'IdempotencyKeySettled'];
  t.same(
    events.map(({ type }) => type),
    [claimed, settled, claimed, settled],
  );
  t.equal(new Set(events.map(({ id }) => id)).size, events.length);
});

t.test('a key that is none is refused', async (t) => {
  const app = await startTestApp(t);
  const events = await app.eventCount();
  for (const key of ['', '"', '"a', 'x'.repeat(256), 'é'])
    for (const path of ['/survey', '/survey/update']) {
      const answer = await post(app, path, newSurvey(), withKey(key));
      t.equal(answer.status, 400, key);
      t.match(answer.json, { Message: /./, ValidationErrors: exactly([/^Header 'Idempotency-Key'/]) });
    }
  t.equal(await app.eventCount(), events);
});

t.test('a key is kept for 24 hours', async (t) => {
  const time = new ManualTime();
  const app = await startTestApp(t, { clock: time, every: time.every });
  const later = async (ms: number) => {
    time.pass(ms - 1_000);
    await time.tick(1_000);
    const exp = Math.floor(Date.now() / 1000) + 400_000;
    return { ...withKey('k'), token: app.token({ claims: { exp } }) };
  };
  const day = 24 * 3_600_000;
  const first = await post(app, '/survey', newSurvey(), await later(0));
  const again = await post(app, '/survey', newSurvey(), await later(day - 1));
  t.same([again.text, replayed(again)], [first.text, 'true']);
  const next = await post(app, '/survey', newSurvey(), await later(1));
  t.same([next.status, replayed(next)], [200, null]);
  t.not(next.text, first.text);
  const other = await post(app, '/survey', newSurvey({ Name: 'Other' }), await later(1));
  t.equal(other.status, 422, 'the new claim counts from its own time');
  t.equal((await post(app, '/survey', newSurvey({ Name: 'Other' }), await later(day))).status, 200);
  t.equal((await surveyIds(app)).length, 3);
});

t.test('a crash at any point of a create: the repeat gives one survey', async (t) => {
  const { app, failing } = await fragileApp(t);
  await create(t, app);
  for (const crash of crashPoints(3)) {
    const before = await surveyIds(app);
    const key = withKey(`${crash.at}-${crash.append}`);
    failing.crashAt(crash);
    t.equal((await post(app, '/survey', newSurvey(), key)).status, 500, nameOf(crash));
    failing.restart();
    const repeat = await post(app, '/survey', newSurvey(), key);
    t.equal(repeat.status, 200, nameOf(crash));
    t.equal(replayed(repeat), wasDone(crash) ? 'true' : null, nameOf(crash));
    const third = await post(app, '/survey', newSurvey(), key);
    t.same([third.text, replayed(third)], [repeat.text, 'true'], nameOf(crash));
    t.same(await surveyIds(app), [...before, Number(repeat.text)], nameOf(crash));
    t.equal((await post(app, '/survey', newSurvey({ Name: 'Other' }), key)).status, 422, nameOf(crash));
  }
});

t.test('a crash at any point of an update: the repeat undoes nothing that came since', async (t) => {
  const { app, failing } = await fragileApp(t);
  const id = await create(t, app);
  for (const crash of crashPoints(3)) {
    const key = withKey(`${crash.at}-${crash.append}`);
    const mine = await updateOf(t, app, id, { Name: `Mine ${nameOf(crash)}` });
    failing.crashAt(crash);
    t.equal((await post(app, '/survey/update', mine, key)).status, 500, nameOf(crash));
    failing.restart();
    const later = await updateOf(t, app, id, { Name: 'Later' });
    t.equal((await post(app, '/survey/update', later)).status, 200);
    const repeat = await post(app, '/survey/update', mine, key);
    t.same([repeat.status, replayed(repeat)], [200, wasDone(crash) ? 'true' : null], nameOf(crash));
    await app.projected();
    const { name } = (await read(t, app, id)) as unknown as { name: string };
    t.equal(name, wasDone(crash) ? 'Later' : `Mine ${nameOf(crash)}`, nameOf(crash));
  }
});

t.test('a crash behind an update that changes nothing', async (t) => {
  const { app, failing } = await fragileApp(t);
  const id = await create(t, app);
  const same = await updateOf(t, app, id, {});
  failing.crashAt({ at: 'before', append: 2 });
  t.equal((await post(app, '/survey/update', same, withKey('k'))).status, 500);
  failing.restart();
  await post(app, '/survey/update', await updateOf(t, app, id, { Name: 'Later' }));
  t.equal(replayed(await post(app, '/survey/update', same, withKey('k'))), 'true');
  await app.projected();
  t.match(await read(t, app, id), { name: 'Later' });
});

/** Each of the appends of a call with a key: its claim, its event, its end. */
const crashPoints = (appends: number): Crash[] =>
  Array.from({ length: appends }, (_, append) => [
    { at: 'before', append } as const,
    { at: 'after', append } as const,
  ]).flat();
const nameOf = ({ at, append }: Crash): string => `${at} append ${append}`;
/** Whether the survey's event was in the log when the process ended. */
const wasDone = ({ at, append }: Crash): boolean => append > 1 || (append === 1 && at === 'after');

t.test('a call whose key is under way in this process', async (t) => {
  const { app, failing } = await fragileApp(t);
  await create(t, app);
  const gate = failing.gateAt('survey-');
  const first = post(app, '/survey', newSurvey(), withKey('k'));
  await gate.reached;
  for (const body of [newSurvey(), newSurvey({ Name: 'Other' })]) {
    const second = await post(app, '/survey', body, withKey('k'));
    t.equal(second.status, 409);
    t.equal(second.headers.get('retry-after'), '1');
    t.match(second.json, { Message: /under way/ });
  }
  gate.open();
  t.equal((await first).status, 200);
  const third = await post(app, '/survey', newSurvey(), withKey('k'));
  t.same([third.text, replayed(third)], [(await first).text, 'true']);
});

t.test('two processes at once: one survey', async (t) => {
  const one = await fragileApp(t);
  const two = await fragileApp(t, { beside: one.app });
  await create(t, one.app);
  await create(t, two.app);
  const before = await surveyIds(one.app);
  for (const stopAt of ['key-', 'survey-']) {
    const gate = one.failing.gateAt(stopAt);
    const key = withKey(stopAt);
    const first = post(one.app, '/survey', newSurvey(), key);
    await gate.reached;
    const other = await post(two.app, '/survey', newSurvey(), key);
    t.equal(other.status, 200);
    gate.open();
    t.equal((await first).text, other.text, `the first stood still before its append to ${stopAt}`);
  }
  t.equal((await surveyIds(one.app)).length, before.length + 2);

  const storm = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const app = i % 2 === 0 ? one.app : two.app;
      for (;;) {
        const answer = await post(app, '/survey', newSurvey({ Name: 'Storm' }), withKey('storm'));
        if (answer.status !== 409) return answer;
        await wait(5);
      }
    }),
  );
  t.equal(new Set(storm.map(({ status, text }) => `${status} ${text}`)).size, 1, 'all get the same answer');
  t.equal((await surveyIds(one.app)).length, before.length + 3);
});

t.test('a log that hangs keeps no survey call from a 503, and its key in use', async (t) => {
  let hangs = false;
  const app = await startTestApp(t, {
    timeouts: { answer: 500 },
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, {
        append: (...given) => (hangs ? new Promise(() => undefined) : log.append(...given)),
      }),
    }),
  });
  const id = await create(t, app);
  const update = await updateOf(t, app, id, { Name: 'Newer' });
  hangs = true;
  for (const [path, body] of [
    ['/Survey', newSurvey()],
    ['/Survey/Update', update],
    ['/Survey/ChangeState/2', [id]],
  ] as const) {
    const answer = await post(app, path, body, withKey('k1'));
    t.same([answer.status, answer.headers.get('retry-after')], [503, '1'], path);
  }
  t.equal((await post(app, '/Survey', newSurvey(), withKey('k1'))).status, 409);
});
