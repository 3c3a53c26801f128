import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import tap from 'tap';
import { childEnv, rollcallOn } from '../cli/rollcall.js';
import { startChildServer } from '../servers/child-server.js';
import { prepareDataDir } from '../servers/prepared-data.js';
import { bundleOf } from '../support/bundles.js';
import { Program } from '../support/program.js';
import { scale, seed } from '../support/scale.js';
import { until } from '../support/until.js';
import { dice } from './caller.js';
import { NotedLoad } from './noted-load.js';

const drills = Math.max(3, Math.round(30 * scale));
const roll = dice(seed);
const env = { INVITATION_RATE: '0' };

tap.test(`backup under load, kill -9, restore: ${drills} times`, { timeout: 1_800_000 }, async (t) => {
  t.comment(`TEST_SEED=${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-drill-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  let dataDir = join(folder, 'data-0');
  const tokens = await prepareDataDir(dataDir, [1, 2]);
  const loads = tokens.map((token, index) => new NotedLoad(index + 1, token));
  let server = await startChildServer({ dataDir, env });
  t.teardown(() => server.kill());
  const counts = { answered: 0, kept: 0, torn: 0 };

  for (let drill = 1; drill <= drills; drill += 1) {
    let goesOn = true;
    const running = Promise.all(loads.map((load) => load.run(server.url, () => goesOn)));
    await until(
      'calls are answered',
      async () => loads.every(({ answered }) => answered.length >= 10) || undefined,
    );

    const cut = join(folder, `cut-${drill}`);
    const torn = new Program([bundleOf('rollcall'), 'backup', '--to', cut], {
      env: childEnv({ DATA_DIR: dataDir }),
      quiet: true,
    });
    await wait(roll(1_000));
    torn.signal('SIGKILL');
    const isTorn = (await torn.ended).code !== 0;

    const before = loads.map((load) => [...load.answered]);
    const copy = join(folder, `copy-${drill}`);
    const made = rollcallOn(dataDir)(`backup --to ${copy}`);
    // In the middle of the backup, or soon after.
    await wait(roll(600));
    await server.kill();
    goesOn = false;
    await running;
    t.match(await made, { code: 0, err: '' }, `backup ${drill}`);

    const restored = join(folder, `data-${drill}`);
    if (isTorn) {
      counts.torn += 1;
      // A kill between the manifest, which is written last, and the end of the process leaves a finished copy.
      const isFinished = existsSync(join(cut, 'manifest.json'));
      const outcome = isFinished ? { code: 0, err: '' } : { code: 1, err: /no finished copy/ };
      const aside = join(folder, `aside-${drill}`);
      const answer = await rollcallOn(dataDir)(`restore --from ${cut} --data-dir ${aside}`);
      t.match(answer, outcome, `the backup that was killed, ${drill}`);
      rmSync(aside, { recursive: true, force: true });
    }
    t.match(await rollcallOn(dataDir)(`restore --from ${copy} --data-dir ${restored}`), { code: 0, err: '' });
    t.notMatch(readdirSync(restored).join(), /restoring/);
    rmSync(dataDir, { recursive: true });
    dataDir = restored;

    server = await startChildServer({ dataDir, env });
    for (const [index, load] of loads.entries()) {
      const answered = before[index] ?? [];
      t.same(await load.missing(server.url, answered), [], `company ${index + 1} after drill ${drill}`);
      counts.answered += load.answered.length;
      counts.kept += answered.length;
      load.answered.length = 0;
      for (const headers of [{}, { prefer: 'respond-async' }]) t.ok(await load.put(server.url, headers));
      t.same(await load.missing(server.url, load.answered), [], 'imports go on');
    }
    t.match(await rollcallOn(dataDir)('audit verify'), { code: 0 }, `audit verify after drill ${drill}`);
  }
  t.comment(
    `${counts.kept} calls answered before ${drills} backups are there, of ${counts.answered} answered in all; ` +
      `${counts.torn} backups were killed`,
  );
});
