import { partProblems } from '@rollcall/host';
import { eventsToEnd, recordedAtOf, systemClock, type Clock } from '@rollcall/application';
import { projections } from '@rollcall/projector';
import t from 'tap';
import { readScrape } from '../metrics/scraped.js';
import { projectAll } from '../projector/projector.support.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { openTestStore } from '../support/test-store.js';
import { exactly } from '../support/exactly.js';

const scrape = async (app: TestApp): Promise<ReadonlyMap<string, number>> =>
  readScrape((await app.call('GET', '/metrics', { token: null })).text);

const secondsOn = (seconds: number): Clock => ({ now: () => systemClock.now() + seconds * 1_000 });

t.test('read models that lag are degraded, and say how far they are behind', async (t) => {
  const { adapters } = await openTestStore(t);
  const problemsIn = (seconds: number) => partProblems({ ...adapters, clock: secondsOn(seconds) });
  t.same(await problemsIn(0), [], 'what was recorded just now is on its way');
  const end = await adapters.log.lastPosition();
  t.match(
    await problemsIn(95),
    exactly([
      {
        problem: new RegExp(
          `^the read models are (9[5-9]|1\\d\\d) s behind the event log: they are at position none of ${end}$`,
        ),
        isOutage: false,
      },
    ]),
  );
  await projectAll({ ...adapters, projections });
  t.same(await problemsIn(95), []);
});

t.test('read models that are being built are degraded, and say how much of them there is', async (t) => {
  const { adapters } = await openTestStore(t);
  await projectAll({ ...adapters, projections });
  const { position = 0n } = await adapters.readModels.progress();
  const building = await adapters.readModels.newGeneration();
  const problemsIn = (seconds: number) => partProblems({ ...adapters, clock: secondsOn(seconds) });
  t.same(await problemsIn(0), [{ problem: 'read models are being built anew: 0 %', isOutage: false }]);
  const half = { position: position / 2n };
  await building.advance({ position: undefined }, half);
  const percent = Math.floor((Number(position / 2n) / Number(position)) * 100);
  t.match(await problemsIn(0), exactly([{ problem: `read models are being built anew: ${percent} %` }]));
  t.same(await problemsIn(100), [], 'nobody builds what was left alone');
  await building.advance(half, { position });
  await building.switchTo();
  t.same(await problemsIn(0), []);
});

t.test('a process that lags serves, says so and shows it as a metric', async (t) => {
  const app = await startTestApp(t, { projector: false, clock: secondsOn(95), shape: 'one' });
  const ready = await app.call('GET', '/health/ready', { token: null });
  t.equal(ready.status, 200);
  t.match(ready.json, { Status: 'degraded', Problems: exactly([/s behind the event log/]) });
  const seen = await scrape(app);
  t.ok((seen.get('rollcall_projection_lag_seconds') ?? 0) >= 95);
  t.equal(seen.get('rollcall_read_models_built_ratio'), 1);
  await app.adapters.readModels.newGeneration();
  const onTime = await startTestApp(t, { beside: app });
  t.equal((await scrape(onTime)).get('rollcall_read_models_built_ratio'), 0);
});

t.test('a lag is a problem from 30 s on, a build from its last write until 60 s later', async (t) => {
  const { adapters } = await openTestStore(t);
  const problemsAt = async (now: number): Promise<string[]> =>
    (await partProblems({ ...adapters, clock: { now: () => now } })).map(({ problem }) => problem);
  let oldest = Infinity;
  for await (const event of eventsToEnd(adapters.log, undefined))
    oldest = Math.min(oldest, recordedAtOf(event) ?? oldest);
  t.same(await problemsAt(oldest + 29_000), []);
  t.match(await problemsAt(oldest + 31_000), exactly([/^the read models are 31 s behind the event log/]));
  await projectAll({ ...adapters, projections });
  await adapters.readModels.newGeneration();
  const generations = await adapters.readModels.generations();
  const at = generations.find(({ status }) => status === 'building')?.at ?? 0;
  t.match(await problemsAt(at + 59_000), exactly([/^read models are being built anew/]));
  t.same(await problemsAt(at + 61_000), []);
});
