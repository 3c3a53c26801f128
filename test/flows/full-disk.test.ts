import { PassThrough } from 'node:stream';
import { EventLogUnavailable } from '@rollcall/application';
import t from 'tap';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app.js';
import { withMembers } from '../support/with-members.js';
import { newSurvey, post } from './surveys.support.js';
import { exactly } from '../support/exactly.js';

/** A log on a disk that can be full. */
function disk() {
  const now = { full: false };
  const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const wrap: NonNullable<TestAppOptions['wrap']> = ({ log, readModels }) => ({
    readModels,
    log: withMembers(log, {
      append: (...given) =>
        now.full
          ? Promise.reject(
              new EventLogUnavailable('The event log could not write: ENOSPC', { cause: full() }),
            )
          : log.append(...given),
    }),
  });
  return { now, wrap, writeProbe: () => (now.full ? Promise.reject(full()) : Promise.resolve()) };
}

/** A monotonic clock by which each look at it is a second later: readiness is looked at anew each time. */
function hurriedTimer(): () => number {
  let now = 0;
  return () => (now += 1_000);
}

async function isReady(app: TestApp): Promise<unknown> {
  const { status, json } = await app.call('GET', '/health/ready', { token: null });
  const { Status, Problems } = json as Record<string, unknown>;
  return [status, Status, Problems];
}

const unavailable = [503, 'unavailable', ['the data folder cannot be written: ENOSPC']];
const create = (app: TestApp) => post(app, '/survey', newSurvey());

t.test('a write that failed is named until the disk takes writes again, without traffic too', async (t) => {
  const { now, ...options } = disk();
  let text = '';
  const logTo = new PassThrough().on('data', (chunk: Buffer) => (text += chunk.toString()));
  const app = await startTestApp(t, { ...options, logTo, timer: hurriedTimer() });
  t.same(await isReady(app), [200, 'ok', []]);
  now.full = true;
  t.equal((await create(app)).status, 503);
  t.same(await isReady(app), unavailable);
  t.same(await isReady(app), unavailable, 'also when it is asked again');
  const warnings = text.split('\n').filter((line) => line.includes('"level":40'));
  t.match(warnings, exactly([/ENOSPC/]), 'the log says why');
  now.full = false;
  t.same(await isReady(app), [200, 'ok', []]);
});

t.test('a write that succeeds ends it', async (t) => {
  const { now, wrap, writeProbe } = disk();
  const app = await startTestApp(t, {
    wrap,
    timer: hurriedTimer(),
    writeProbe: () => writeProbe().then(() => Promise.reject(new Error('still too little'))),
  });
  now.full = true;
  t.equal((await create(app)).status, 503);
  t.equal((await app.call('GET', '/health/ready', { token: null })).status, 503);
  now.full = false;
  t.equal((await app.call('GET', '/health/ready', { token: null })).status, 503, 'the probe fails');
  t.equal((await create(app)).status, 200);
  t.same(await isReady(app), [200, 'ok', []]);
});
