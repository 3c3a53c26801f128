import { EventLogUnavailable, ReadModelsBuilding, recordedAtOf, type EventLog } from '@rollcall/application';
import { observedRunner } from '@rollcall/worker';

import t from 'tap';
import { readScrape, seriesOf } from '../metrics/scraped.js';
import { people } from '../application/imports.support.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { ManualTime } from '../support/manual-timer.js';
import { setAside } from '../support/set-aside.js';
import { until } from '../support/until.js';

const scrape = async (app: TestApp): Promise<ReadonlyMap<string, number>> => {
  const { status, text } = await app.call('GET', '/metrics', { token: null });
  if (status !== 200) throw new Error(`/metrics answered ${status}`);
  return readScrape(text);
};

const http = 'rollcall_http_request_duration_seconds_count';
const employees = '/v1.0/Company/:companyId/Employee';

t.test('calls are counted and timed by the pattern of their route', async (t) => {
  const app = await startTestApp(t);
  await app.call('GET', '/v1.0/company/7/Employee?Top=3');
  await app.call('GET', '/v1.0/Company/7/Employee', { token: null });
  await app.call('GET', '/v1.0/Company/7/Employee/astrid.holm@example.com');
  await app.call('DELETE', '/v1.0/Company/7/Employee');
  const seen = await scrape(app);
  for (const labels of [
    `method="GET",route="${employees}",status="200"`,
    `method="GET",route="${employees}",status="401"`,
    `method="DELETE",route="${employees}",status="405"`,
    'method="GET",route="unknown",status="404"',
  ])
    t.equal(seen.get(`${http}{${labels}}`), 1, labels);
  t.notOk([...seen.keys()].some((series) => series.includes('astrid')));
  t.ok((seen.get('rollcall_event_log_duration_seconds_count{operation="readStream"}') ?? 0) > 0);
});

t.test('what the import threads ask of the event log is counted with the rest', async (t) => {
  const app = await startTestApp(t);
  const appends = 'rollcall_event_log_duration_seconds_count{operation="append"}';
  const before = (await scrape(app)).get(appends) ?? 0;
  t.equal((await app.call('PUT', '/v1.0/Company/7/Employee', { body: [] })).status, 200);
  t.equal((await scrape(app)).get(appends), before + 1);
});

t.test('without a token, outside the limit, and not at all where it has an address of its own', async (t) => {
  const app = await startTestApp(t, { config: { rateLimitPerMinute: 1 } });
  for (let i = 0; i < 3; i++) t.equal((await app.call('GET', '/metrics')).status, 200);
  const { headers } = await app.call('GET', '/metrics', { token: null });
  t.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  const other = await startTestApp(t, { beside: app, config: { servesMetrics: false } });
  t.equal((await other.call('GET', '/metrics', { token: null })).status, 404);
});

t.test('queued imports: pending, their age, the queue, and what came of them', async (t) => {
  const app = await startTestApp(t, { shape: 'one' });
  const body = [
    { EmployeeID: 'A-1', Firstname: 'A', Lastname: 'B', Email: 'a@example.com', EmploymentStatus: 0 },
  ];
  const put = await app.call('PUT', '/v1.0/Company/7/Employee', {
    body,
    headers: { prefer: 'respond-async' },
  });
  t.equal(put.status, 202);
  await app.projected();
  const waiting = 'rollcall_queue_messages{queue="imports",state="waiting"}';
  await until('the import is told of', async () => (await scrape(app)).get(waiting) === 1);
  const before = await scrape(app);
  t.equal(before.get('rollcall_pending_imports{kind="employees"}'), 1);
  t.equal(before.get('rollcall_pending_imports{kind="managers"}'), 0);
  const age = before.get('rollcall_oldest_pending_import_age_seconds') ?? NaN;
  t.ok(age > 0 && age < 600, String(age));
  t.same(seriesOf(before, 'rollcall_import_run_duration_seconds_count'), []);

  const runner = observedRunner(app.runner, app.metrics.families);
  await runner.runOldest(7);
  await runner.runOldest(7);
  await app.projected();
  const after = await scrape(app);
  t.equal(after.get('rollcall_pending_imports{kind="employees"}'), 0);
  t.equal(after.get('rollcall_oldest_pending_import_age_seconds'), 0);
  const runs = 'rollcall_import_run_duration_seconds_count';
  t.same(
    seriesOf(after, runs),
    [`${runs}{kind="employees",outcome="done"}`],
    'a look that finds nothing is no run',
  );
  t.equal(after.get(`${runs}{kind="employees",outcome="done"}`), 1);
});

t.test('imports behind a hold keep no worker busy, and are not shown as pending', async (t) => {
  const settings = { batchLimit: 25, batchLimitFrom: 4, overLimit: 'hold', queueThreshold: null } as const;
  const app = await startTestApp(t, { shape: 'one', settings });
  const path = '/v1.0/Company/7/Employee';
  for (const [ids, status] of [
    [[1, 2, 3, 4], 200],
    [[1], 202],
    [[1, 2, 3], 202],
  ] as const)
    t.equal((await app.call('PUT', path, { body: people(...ids) })).status, status);
  await app.projected();
  t.equal((await scrape(app)).get('rollcall_pending_imports{kind="employees"}'), 0);
});

t.test('projections: how far they are behind, and which have stopped', async (t) => {
  const app = await startTestApp(t, { projector: false });
  const behind = (await scrape(app)).get('rollcall_projection_lag_events');
  t.equal(behind, await app.eventCount(), 'nothing is projected');
  t.equal((await scrape(app)).get('rollcall_parked_streams'), 0);
  await setAside(app.adapters.readModels, { stream: 'company-7', revision: 3, problem: 'x' });
  t.equal((await scrape(app)).get('rollcall_parked_streams'), 1);
});

t.test('read models that are being built are no store that is away', async (t) => {
  const building = () => Promise.reject(new ReadModelsBuilding());
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({ log, readModels: { ...readModels, progress: building } }),
  });
  const seen = await scrape(app);
  t.notOk(seen.has('rollcall_projection_lag_events'));
  t.equal(seen.get('rollcall_scrape_errors_total{part="projection_lag"}'), 0);
});

t.test('a store that is away leaves its metrics out, and the scrape is answered', async (t) => {
  let isAway = true;
  const away = (log: EventLog): EventLog => ({
    ...log,
    lastPosition: () => (isAway ? Promise.reject(new EventLogUnavailable('away')) : log.lastPosition()),
  });
  const app = await startTestApp(t, {
    wrap: ({ log, readModels }) => ({ log: away(log), readModels }),
  });
  const seen = await scrape(app);
  t.notOk(seen.has('rollcall_projection_lag_events'));
  t.equal(seen.get('rollcall_parked_streams'), 0, 'others are shown');
  t.equal(seen.get('rollcall_scrape_errors_total{part="projection_lag"}'), 1);
  t.ok((seen.get('rollcall_event_log_failures_total{operation="lastPosition"}') ?? 0) > 0);
  isAway = false;
  await app.projected();
  const again = await scrape(app);
  t.equal(again.get('rollcall_projection_lag_events'), 0);
  t.equal(again.get('rollcall_scrape_errors_total{part="projection_lag"}'), 1);
});

t.test(
  'durations are in seconds, the age of an import is exact, and damaged streams are parked ones too',
  async (t) => {
    const begun = performance.now();
    const clock = new ManualTime();
    const streams = new Map([1, 2].map((id) => [`survey-${id}`, 'it was changed']));
    const app = await startTestApp(t, {
      clock,
      shape: 'one',
      wrap: ({ log, readModels }) => ({ log, readModels, damage: { streams, problems: () => [] } }),
    });
    const headers = { prefer: 'respond-async' };
    const put = await app.call('PUT', '/v1.0/Company/7/Employee', { body: people(1), headers });
    t.equal(put.status, 202);
    await app.projected();
    const queued = await app.adapters.log.readLast('company-7');
    clock.pass(90_500 + ((queued && recordedAtOf(queued)) ?? NaN) - clock.now());
    t.equal((await scrape(app)).get('rollcall_oldest_pending_import_age_seconds'), 90.5);
    await observedRunner(app.runner, app.metrics.families).runOldest(7);
    const setAsideStream = { stream: 'company-8', revision: 0, problem: 'x' };
    await setAside(app.adapters.readModels, setAsideStream);
    const seen = await scrape(app);
    t.equal(seen.get('rollcall_parked_streams'), 3);
    const passed = (performance.now() - begun) / 1_000;
    for (const series of [
      `rollcall_http_request_duration_seconds_sum{method="PUT",route="${employees}",status="202"}`,
      'rollcall_event_log_duration_seconds_sum{operation="append"}',
      'rollcall_import_run_duration_seconds_sum{kind="employees",outcome="done"}',
    ]) {
      const sum = seen.get(series) ?? NaN;
      t.ok(sum > 0 && sum < passed, `${series} ${sum} of ${passed} s`);
    }
  },
);
