import { openStores } from '@rollcall/adapters';
import t from 'tap';
import { generatedEmployee } from '../generators/employees.js';
import { exactly } from '../support/exactly.js';
import { companyId, startTestApp } from '../support/test-app.js';

t.test(
  'as long as no read models of its version are complete the api says so and shows nothing',
  async (t) => {
    const before = await startTestApp(t, { shape: 'one' });
    const config = { ...before.store.config, projections: 'another version' };
    const { readModels } = await openStores(config);
    t.teardown(() => readModels.close());
    const beside = { store: { ...before.store, config } };
    let now = 0;
    const timer = (): number => (now += 1_000);
    const app = await startTestApp(t, { beside, timer, wrap: ({ log }) => ({ log, readModels }) });
    const company = `/v1.0/Company/${companyId}`;
    const paths = ['Employee', 'ApiCalls', 'Invitations', 'Language/Enabled', 'Managers'].map(
      (path) => `${company}/${path}`,
    );
    for (const path of [...paths, '/v1.0/Survey', '/v1.0/Survey/1']) {
      const answer = await app.call('GET', path);
      t.equal(answer.status, 503, path);
      t.equal(answer.headers.get('retry-after'), '10', path);
      t.match(answer.json, { Message: /is being built/ }, path);
      t.equal((await before.call('GET', path)).status, path.endsWith('/1') ? 404 : 200, `${path} beside it`);
    }
    await before.call('PUT', `${company}/Employee`, { body: [generatedEmployee(1)] });
    const rehearsal = await app.call('PUT', `${company}/Employee?dryRun=true`, { body: [] });
    t.equal(rehearsal.status, 503, 'an import thread looks up who leaves');
    t.equal(rehearsal.headers.get('retry-after'), '10');
    const put = await app.call('PUT', `${company}/Employee`, { body: [] });
    t.equal(put.status, 200, 'what the log alone decides is served');
    const ready = await app.call('GET', '/health/ready', { token: null });
    t.equal(ready.status, 200);
    t.match(ready.json, { Status: 'degraded', Problems: exactly(['read models are being built: 0 %']) });

    const end = await before.adapters.log.lastPosition();
    const building = await readModels.newGeneration();
    await building.advance({ position: undefined }, { position: end });
    t.match((await app.call('GET', '/health/ready', { token: null })).json, {
      Problems: exactly(['read models are being built: 100 %']),
    });
    await building.switchTo();
    t.match((await app.call('GET', '/health/ready', { token: null })).json, { Status: 'ok' });
  },
);
