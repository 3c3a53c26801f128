import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beginInstallation, partProblems } from '@rollcall/host';
import { keyPaths, openAdapters } from '@rollcall/adapters';
import { configureCompany, readModelsVersion, systemClock } from '@rollcall/application';
import { projections, runProjector } from '@rollcall/projector';
import tap, { type Test } from 'tap';
import { objectOf, rollcallWithin } from '../cli/rollcall.js';
import { projectAll } from '../projector/projector.support.js';
import { testContext } from '../support/test-store.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

/** Opens the installation as each process does, lets the work be done, and closes it. */
async function whileOpen<T>(
  dataDir: string,
  work: (adapters: Awaited<ReturnType<typeof openAdapters>>) => Promise<T>,
): Promise<T> {
  const adapters = await openAdapters({ ...embeddedAdapters(dataDir), projections: readModelsVersion });
  try {
    await beginInstallation({ ...adapters, keyFolder: keyPaths(dataDir).folder, clock: systemClock });
    return await work(adapters);
  } finally {
    await adapters.close();
  }
}

const configureAll = (dataDir: string, companies: readonly number[]) =>
  whileOpen(dataDir, async ({ log }) => {
    for (const companyId of companies)
      await configureCompany({ log, clock: systemClock }, testContext(companyId), { companyId, changes: {} });
  });

const project = (dataDir: string) => whileOpen(dataDir, (on) => projectAll({ ...on, projections }));
const problems = (dataDir: string) =>
  whileOpen(dataDir, async (on) =>
    (await partProblems({ ...on, clock: systemClock })).map(({ problem }) => problem),
  );
const knows = (dataDir: string, companyId: number) =>
  whileOpen(
    dataDir,
    async ({ readModels }) => (await readModels.get('companies', [companyId])) !== undefined,
  );

/** A log with companies 1 and 2, whose read models know company 3 too. */
async function restored(t: Test): Promise<string> {
  const dataDir = join(t.testdir(), 'data');
  const [log, backup] = [join(dataDir, 'event-log'), join(dataDir, 'backup')];
  await configureAll(dataDir, [1, 2]);
  cpSync(log, backup, { recursive: true });
  await configureAll(dataDir, [3]);
  await project(dataDir);
  t.same(await problems(dataDir), []);
  rmSync(log, { recursive: true });
  cpSync(backup, log, { recursive: true });
  return dataDir;
}

/** Does what the message says, to the letter. */
async function follow(dataDir: string, message: string) {
  const command = /run rollcall ([a-z ]+)/.exec(message)?.[1] ?? 'no command in the message';
  return rollcallWithin(dataDir)(command);
}

async function isMended(t: Test, dataDir: string): Promise<void> {
  const rollcall = rollcallWithin(dataDir);
  t.same(await problems(dataDir), []);
  t.match(await rollcall('projections status'), { code: 0, out: /: up to date\./, err: '' });
  t.match(objectOf(await rollcall('projections status --json')), {
    generations: exactly([{ status: 'retired' }, { status: 'live' }]),
  });
  t.ok(await knows(dataDir, 1));
  t.notOk(await knows(dataDir, 3));
  await configureAll(dataDir, [9]);
  await project(dataDir);
  t.ok(await knows(dataDir, 9), 'and it goes on');
  t.match(await rollcall('audit verify'), { code: 0 });
}

tap.test('an older log was restored: the read models are ahead of it', async (t) => {
  const dataDir = await restored(t);
  const [problem = ''] = await problems(dataDir);
  t.match(problem, /the read models know events that the log does not hold/);
  t.match(await rollcallWithin(dataDir)('projections status'), { code: 1, out: /not of this log/ });
  t.match(await follow(dataDir, problem), { code: 0, out: /Events read here: 4\./, err: '' });
  await isMended(t, dataDir);
});

tap.test('a restored log that has grown again is told by the chain', async (t) => {
  const dataDir = await restored(t);
  await configureAll(dataDir, [4, 5]);
  const [problem = ''] = await problems(dataDir);
  t.match(problem, /another log, or from this one before it was restored/);
  const told: string[] = [];
  const end = new AbortController();
  await whileOpen(dataDir, async (on) => {
    const error = (details: object) => {
      told.push(JSON.stringify(details));
      end.abort();
    };
    const logger = { info: () => undefined, warn: () => undefined, error };
    await runProjector({ ...on, projections, logger, signal: end.signal });
  });
  t.match(told, exactly([/rollcall projections rebuild/]));
  t.notOk(await knows(dataDir, 4), 'nothing is projected');
  t.match(await rollcallWithin(dataDir)('audit verify'), { code: 1, err: /rollcall projections rebuild/ });
  t.match(await follow(dataDir, problem), { code: 0, out: /Events read here: 6\./, err: '' });
  await isMended(t, dataDir);
});
