import { EventLogUnavailable } from '@rollcall/application';
import t from 'tap';
import { startTestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';

t.test('a process in order is live and ready', async (t) => {
  const app = await startTestApp(t);
  const live = await app.call('GET', '/health/live', { token: null });
  t.equal(live.status, 200);
  t.same(live.json, { Status: 'ok', Version: '0.1.0' });
  const ready = await app.call('GET', '/health/ready', { token: null });
  t.equal(ready.status, 200);
  t.same(ready.json, { Status: 'ok', Problems: [], Version: '0.1.0' });
});

t.test('without the log it is live and not ready, and says what is missing', async (t) => {
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({
      readModels,
      log: withMembers(log, { lastPosition: () => Promise.reject(new EventLogUnavailable('away')) }),
    }),
  });
  t.equal((await app.call('GET', '/health/live', { token: null })).status, 200);
  const ready = await app.call('GET', '/health/ready', { token: null });
  t.equal(ready.status, 503);
  t.match(ready.json, { Status: 'unavailable', Problems: ['the event log cannot be read'] });
});

t.test('health does not count against the limit of calls', async (t) => {
  const app = await startTestApp(t, { config: { rateLimitPerMinute: 2 } });
  const token = app.token();
  const calls = '/v1.0/Company/7/ApiCalls';
  t.equal((await app.call('GET', calls, { token })).status, 200);
  t.equal((await app.call('GET', calls, { token: app.token() })).status, 200);
  const limited = await app.call('GET', calls, { token });
  t.equal(limited.status, 429);
  t.ok(Number(limited.headers.get('retry-after')) >= 1);
  t.same(Object.keys(limited.json as object), ['Message']);
  t.equal(
    (await app.call('GET', calls, { token: app.token({ claims: { sub: '2' } }) })).status,
    200,
    'another user',
  );
  for (let i = 0; i < 5; i++) t.equal((await app.call('GET', '/health/live', { token })).status, 200);
});
