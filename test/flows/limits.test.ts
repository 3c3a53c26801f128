import { configureCompany } from '@rollcall/application';
import { employeesExample } from '@rollcall/contracts';
import t from 'tap';
import { ManualTime } from '../support/manual-timer.js';
import { companyId, otherCompanyId, startTestApp, testContext } from '../support/test-app.js';

const path = `/v1.0/Company/${companyId}/Limits`;

t.test('the limits in force, for any token of the company', async (t) => {
  const config = {
    rateLimitPerMinute: 6_000,
    bodyLimit: 1_000,
    employeeBodyLimit: 3_000,
    managerBodyLimit: 2_000,
    queueBodyBytes: 2_500,
  };
  const app = await startTestApp(t, { config, settings: { batchLimit: 25, queueThreshold: 500 } });
  await app.projected();
  const token = app.token({ claims: { sub: '2', roles: [] } });
  const limits = {
    BatchLimit: 25,
    BatchLimitFrom: 100,
    OverLimit: 'refuse',
    QueueThreshold: 500,
    QueueBodyBytes: 2_500,
    EmployeeBodyLimit: 3_000,
    ManagerBodyLimit: 2_000,
    BodyLimit: 1_000,
    RateLimitPerMinute: 6_000,
    PendingImports: 0,
    MostPendingImports: 1_000,
  };
  t.same((await app.call('GET', path, { token })).json, limits);

  const queued = await app.call('PUT', `/v1.0/Company/${companyId}/Employee`, {
    body: employeesExample,
    headers: { prefer: 'respond-async' },
  });
  t.equal(queued.status, 202);
  await app.projected();
  t.same((await app.call('GET', path, { token })).json, { ...limits, PendingImports: 1 });

  t.equal((await app.call('GET', `/v1.0/Company/${otherCompanyId}/Limits`)).status, 401);
  t.equal((await app.call('GET', path, { token: null })).status, 401);
});

t.test('a company that cannot be read yet is a 503, not one without limits', async (t) => {
  const app = await startTestApp(t, { projector: false });
  t.equal((await app.call('GET', path)).status, 503);
});

t.test('a limit that was loosened for an hour is the old one after it', async (t) => {
  const clock = new ManualTime();
  const batchLimitUntil = new Date(clock.now() + 3_600_000).toISOString();
  const app = await startTestApp(t, { clock, settings: { batchLimit: 25 } });
  const command = { companyId, changes: { batchLimit: 60 }, batchLimitUntil };
  await configureCompany({ log: app.adapters.log, clock }, testContext(companyId), command);
  await app.projected();
  const limit = async () => (await app.call('GET', path)).json;
  clock.pass(3_599_000);
  t.match(await limit(), { BatchLimit: 60 });
  clock.pass(1_000);
  t.match(await limit(), { BatchLimit: 25 });
});
