import { EventLogUnavailable } from '@rollcall/application';
import t from 'tap';
import { exactly } from '../support/exactly.js';
import { startTestApp } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';

t.test('a process in order is live and ready', async (t) => {
  const app = await startTestApp(t);
  const live = await app.call('GET', '/health/live', { token: null });
  t.equal(live.status, 200);
  t.same(live.json, { Status: 'ok', Version: '0.1.0', Commit: null });
  const ready = await app.call('GET', '/health/ready', { token: null });
  t.equal(ready.status, 200);
  t.same(ready.json, { Status: 'ok', Problems: [], Version: '0.1.0', Commit: null });
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
  t.same([ready.status, ready.headers.get('retry-after')], [503, '5']);
  t.match(ready.json, { Status: 'unavailable', Problems: exactly(['the event log cannot be read']) });
});

t.test('however often readiness is asked for, log and read models are looked at once a second', async (t) => {
  let now = 0;
  const calls = new Map<string, number>();
  const counted = <T extends object>(name: string, target: T): T =>
    new Proxy(target, {
      get: (of, member) => {
        const value: unknown = Reflect.get(of, member);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          const key = `${name}.${String(member)}`;
          calls.set(key, (calls.get(key) ?? 0) + 1);
          return Reflect.apply(value, of, given);
        };
      },
    });
  const app = await startTestApp(t, {
    timer: () => now,
    every: () => () => undefined,
    wrap: ({ log, readModels }) => ({
      log: counted('log', log),
      readModels: counted('readModels', readModels),
    }),
  });
  const ask = async (times: number): Promise<number> => {
    calls.clear();
    const asked = Array.from({ length: times }, () => app.call('GET', '/health/ready', { token: null }));
    for (const answer of await Promise.all(asked)) t.match(answer.json, { Status: 'ok' });
    return [...calls.values()].reduce((sum, count) => sum + count, 0);
  };
  await app.projected();
  const once = await ask(1);
  t.ok(once > 0);
  t.equal(await ask(20), 0);
  now += 1_000;
  t.equal(await ask(20), once);
});

t.test('calls count per API user and minute, health and calls without a token do not', async (t) => {
  const now = { ms: Date.now() };
  const app = await startTestApp(t, {
    config: { rateLimitPerMinute: 2 },
    clock: { now: () => now.ms },
    every: () => () => undefined,
  });
  const get = (claims: Record<string, unknown> | null = {}) =>
    app.call('GET', '/v1.0/Company/7/ApiCalls', { token: claims && app.token({ claims }) });
  const headersOf = async (): Promise<(string | null)[]> => {
    const { status, headers } = await get();
    const limits = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
    return [String(status), ...limits, headers.get('retry-after')];
  };
  t.same(await headersOf(), ['200', '2', '1', '60', null]);
  now.ms += 4_000;
  t.same(await headersOf(), ['200', '2', '0', '56', null]);
  t.same(await headersOf(), ['429', '2', '0', '56', '56']);
  t.same(Object.keys((await get()).json as object), ['Message']);
  t.equal((await get({ sub: '2' })).status, 200, 'another user');
  for (let i = 0; i < 5; i++) {
    t.equal((await get(null)).status, 401);
    t.equal((await app.call('GET', '/health/live', { token: app.token() })).status, 200);
  }
  now.ms -= 3_600_000;
  t.equal((await get()).status, 200, 'a clock that was set back begins a new minute');
});
