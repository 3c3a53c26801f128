import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openEventLog, type AdaptersConfig } from '@rollcall/adapters';
import { configureCompany, EventSum, newId, readLog, systemClock } from '@rollcall/application';
import tap from 'tap';
import { childEnv, rollcallWithin } from '../cli/rollcall.js';
import { startStandIn } from '../servers/eventstoredb-stand-in.support.js';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { scale } from '../support/scale.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

const kills = Math.ceil(30 * scale);
const companies = 200;
const changes = 6;

async function sumOf(config: AdaptersConfig): Promise<string> {
  const log = await openEventLog(config);
  const sum = new EventSum();
  await readLog(log, await log.lastPosition(), (event) => sum.add(event));
  await log.close();
  return sum.text;
}

/** Companies whose changes are mixed, each of them a call of its own. */
async function fill(config: AdaptersConfig): Promise<void> {
  const log = await openEventLog({ ...config, sync: false });
  for (let change = 0; change < changes; change += 1)
    for (let companyId = 1; companyId <= companies; companyId += 1) {
      const context = { companyId, operationId: newId(), userId: null, username: 'cli:test@example.com' };
      const receivedAt = new Date().toISOString();
      const call = { ...context, causationId: null, receivedAt };
      const command = { companyId, changes: { name: `Name ${change}` } };
      await configureCompany({ log, clock: systemClock }, call, command);
    }
  await log.close();
}

tap.setTimeout(600_000);

tap.test('a move that is killed again and again comes to the same log, in both directions', async (t) => {
  const { server } = await startStandIn(t, { folder: t.testdir({ server: {}, data: {} }) });
  const dataDir = join(t.testdirName, 'data');
  const exported = join(dataDir, '.spool-move');
  const embedded = embeddedAdapters(dataDir);
  const onServer = { ...embedded, eventLog: { kind: 'eventstoredb', connectionString: server.url } } as const;
  const env = { DATA_DIR: dataDir, EVENTSTOREDB_URL: server.url };
  await rollcallWithin(dataDir)('company configure --company 1');
  await fill(embedded);
  const before = await sumOf(embedded);

  /** From the end of the export on, each time a little later: in checking, importing or comparing. */
  const moment = async (run: Program, kill: number): Promise<true> => {
    while (!run.hasEnded && !existsSync(join(exported, 'manifest.json'))) await wait(5);
    await wait((kill * 170) % 1_000);
    return true;
  };

  /** A kill after the end, before the answer, leaves the whole log. */
  const checkWhole = async (to: string): Promise<void> => {
    if ((await sumOf(to === 'embedded' ? embedded : onServer)) !== before)
      throw new Error('a log that is half of another was used');
  };

  const move = async (from: string, to: string): Promise<void> => {
    let refused = 0;
    let killings = 0;
    for (let kill = 0; ; kill += 1) {
      rmSync(exported, { recursive: true, force: true });
      const run = new Program([bundleOf('rollcall'), 'move', '--from', from, '--to', to], {
        env: childEnv(env),
        quiet: true,
      });
      const killed = kill < kills && (await Promise.race([run.ended.then(() => false), moment(run, kill)]));
      if (killed) await run.kill();
      killings += Number(killed);
      const { code, err } = await run.ended;
      if (code === 0) break;
      if (!killed) throw new Error(err);
      const start = await rollcallWithin(dataDir, { ...env, EVENT_LOG: to })('company list --json');
      if (/"companyId"/.test(start.out)) await checkWhole(to);
      if (start.err.includes('is not finished')) refused += 1;
    }
    t.ok(killings > 0, 'it is killed');
    t.comment(`${refused} kills left a marked log`);
  };
  await move('embedded', 'eventstoredb');
  t.equal(await sumOf(onServer), before);
  renameSync(join(dataDir, 'event-log'), join(dataDir, 'event-log-moved'));
  await move('eventstoredb', 'embedded');
  t.equal(await sumOf(embedded), before);
});
