import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import tap from 'tap';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { caller, dice, type Caller, type Roll } from './caller.js';
import { EmployeeLoad } from './employee-load.js';
import { SurveyLoad } from './survey-load.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { rollcallCommand } from '../support/bundles.js';

const kills = Math.max(3, Math.round(200 * scale));
const longestLife = 600;
const verifyEvery = 25;
const stopEvery = 10;

/** Creates a survey and waits until it can be read: by then all that stands before it in the log can be read too. */
async function untilProjected(call: Caller): Promise<void> {
  const questions = [1, 99].map((Type) => ({ Type, Texts: { 1045: 'text' } }));
  const dates = { Start: '2026-05-01T02:00:00Z', End: '2026-06-01T02:00:00Z' };
  const created = await call('POST', '/v1.0/survey', {
    Name: 'mark',
    CompanyId: 1,
    State: 1,
    ...dates,
    Questions: questions,
  });
  if (created?.status !== 200) throw new Error(`The mark answered ${created?.status}: ${created?.text}`);
  const isThere = async () => (await call('GET', `/v1.0/Survey/${created.text}`))?.status === 200;
  await until('the read models follow', isThere, { everyMs: 1 });
}

/** A start that is cut off, perhaps in the middle of its recovery. */
async function killWhileStarting(dataDir: string, roll: Roll): Promise<void> {
  await startChildServer({ dataDir, readyWithinMs: roll(1500) }).then(
    (server) => server.kill(),
    () => undefined,
  );
}

tap.setTimeout(3_600_000);

tap.test(`kill -9, ${kills} times`, { timeout: 3_600_000 }, async (t) => {
  t.comment(`TEST_SEED=${seed}`);
  const roll = dice(seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'rollcall-kill-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const tokens = await prepareDataDir(dataDir, [1, 2]);
  const env = { DATA_DIR: dataDir, PATH: process.env['PATH'] ?? '' };

  const employees = [new EmployeeLoad(1, roll), new EmployeeLoad(2, roll)];
  const surveys = ['a', 'b', 'c'].map((label) => new SurveyLoad(1, label, roll));
  const callers = (url: string): Caller[] => tokens.map((token) => caller(url, token));
  const load = async (url: string): Promise<void> => {
    const [first, second] = callers(url);
    if (!first || !second) throw new Error('A token is missing');
    await Promise.all([
      ...surveys.map((each) => each.run(first)),
      employees[0]?.run(first),
      employees[0]?.run(first),
      employees[1]?.run(second),
    ]);
  };
  const problems = async (url: string): Promise<string[]> => {
    const [first, second] = callers(url);
    if (!first || !second) throw new Error('A token is missing');
    await untilProjected(first);
    const found: string[] = [];
    for (const each of surveys) found.push(...(await each.problems(first)));
    for (const [index, each] of employees.entries())
      found.push(...(await each.problems(index === 0 ? first : second)));
    return found;
  };
  const verify = (): Promise<unknown> =>
    promisify(execFile)(process.execPath, [rollcallCommand, 'audit', 'verify'], { env });

  let server = await startChildServer({ dataDir });
  t.teardown(() => server.kill());
  for (let kill = 1; kill <= kills; kill++) {
    const loaded = load(server.url);
    await Promise.race([wait(roll(longestLife)), loaded]);
    await server.kill();
    await loaded;
    // Now and then a second kill, at rest or while it is still starting, before anybody looks.
    if (roll(8) === 0) await killWhileStarting(dataDir, roll);

    server = await startChildServer({ dataDir });
    t.strictSame(await problems(server.url), [], `after kill ${kill}`);
    if (kill % verifyEvery === 0 || kill === kills)
      await t.resolves(verify(), `audit verify after kill ${kill}`);
    if (kill % stopEvery !== 0) continue;
    t.equal(await server.stop(), 0, 'an orderly stop');
    server = await startChildServer({ dataDir });
  }
});
