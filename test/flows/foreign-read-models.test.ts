import { EventLogUnavailable, ForeignReadModels, type Clock, type Progress } from '@rollcall/application';
import t from 'tap';
import { companyId, startTestApp, type TestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { employees } from './imports.support.js';

const company = `/v1.0/Company/${companyId}`;
const reads = [
  `${company}/Employee`,
  `${company}/Employee?Top=1`,
  `${company}/Managers`,
  `${company}/ApiCalls`,
  `${company}/Invitations`,
  `${company}/Language/Enabled`,
  `/v1.0/Survey?companyId=${companyId}`,
  '/v1.0/Survey/1',
];

/** An app whose read models can become those of another log, and whose log can be away. */
async function rigged(t: Parameters<typeof startTestApp>[0]) {
  const now = { ahead: false, away: false, ms: 0 };
  const clock: Clock = { now: () => Date.now() + now.ms };
  const app = await startTestApp(t, {
    clock,
    wrap: ({ log, readModels }) => ({
      log: withMembers(log, {
        lastPosition: (...given) =>
          now.away ? Promise.reject(new EventLogUnavailable('away')) : log.lastPosition(...given),
      }),
      readModels: withMembers(readModels, {
        progress: async (): Promise<Progress> => {
          const { shares, ...progress } = await readModels.progress();
          if (!now.ahead && shares !== undefined) return { ...progress, shares };
          return now.ahead ? { ...progress, position: (progress.position ?? 0n) + 1_000_000n } : progress;
        },
      }),
    }),
  });
  await app.call('PUT', `${company}/Employee`, { body: employees.body(1) });
  await app.projected();
  return { app, now };
}

const statusesOf = (app: TestApp): Promise<number[]> =>
  Promise.all(reads.map(async (path) => (await app.call('GET', path)).status));

t.test('read models that are not the log’s own are shown to nobody', async (t) => {
  const { app, now } = await rigged(t);
  const before = await statusesOf(app);
  t.same(new Set(before), new Set([200, 404]));
  now.ahead = true;
  now.ms += 11_000;
  for (const path of reads) {
    const answer = await app.call('GET', path);
    t.equal(answer.status, 503, path);
    t.equal(answer.headers.get('retry-after'), '60');
    t.same(answer.json, { Message: `Nothing can be shown: ${ForeignReadModels.because('ahead').message}` });
  }
  const put = await app.call('PUT', `${company}/Employee`, { body: employees.body(2) });
  t.match(put.json, { Inserted: 1, Removed: 0 }, 'a decision does not start from documents');
  now.ahead = false;
  t.same(await statusesOf(app), before, 'at once when they are');
});

t.test('a clock that was set back puts no look off', async (t) => {
  const { app, now } = await rigged(t);
  t.equal((await app.call('GET', `${company}/Employee`)).status, 200);
  now.ahead = true;
  now.ms -= 60_000;
  t.equal((await app.call('GET', `${company}/Employee`)).status, 503);
});

t.test('nobody waits for the look, and a log that is away for a moment hides nothing', async (t) => {
  const { app, now } = await rigged(t);
  t.equal((await app.call('GET', `${company}/Employee`)).status, 200);
  now.away = true;
  now.ms += 2_000;
  t.equal((await app.call('GET', `${company}/Employee`)).status, 200);
});
