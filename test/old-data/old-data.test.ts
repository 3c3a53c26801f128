import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openAdapters, type Adapters } from '@rollcall/adapters';
import { readModelsVersion } from '@rollcall/application';
import tap from 'tap';
import { root } from '../architecture/source-files.js';
import { rollcallWithin } from '../cli/rollcall.js';
import { start } from '../standalone/start.js';
import { openInvitations } from '../support/open-invitations.js';
import { orderedRows } from '../support/ordered-rows.js';
import { until } from '../support/until.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';

/** Data folders as older versions left them: a company of 6 employees after two imports, and a survey. */
const folder = join(root, 'test', 'old-data');
const archives = readdirSync(folder).filter((name) => name.endsWith('.tar.gz'));

async function employeesIn({ readModels }: Adapters): Promise<number> {
  let count = 0;
  for await (const batch of orderedRows(readModels, { companyId: 1 })) count += batch.length;
  return count;
}

const openIn = async ({ readModels }: Adapters): Promise<number> =>
  (await openInvitations(readModels)).length;

/** The service on the folder, until its read models are of its own version. */
async function startedOn(dataDir: string): Promise<void> {
  const running = start(dataDir, { INVITATION_RATE: '0' });
  try {
    const address = await running.address;
    const isBuilt = async (): Promise<boolean> =>
      (await fetch(`${address}/health/ready`)).ok && (await isOwn(dataDir));
    await until('its read models are built', isBuilt);
  } finally {
    running.child.signal('SIGTERM');
    await running.ended;
  }
}

const whileOpen = async <T>(dataDir: string, work: (adapters: Adapters) => Promise<T>): Promise<T> => {
  const adapters = await openAdapters({ ...embeddedAdapters(dataDir), projections: readModelsVersion });
  try {
    return await work(adapters);
  } finally {
    await adapters.close();
  }
};

const isOwn = (dataDir: string): Promise<boolean> =>
  whileOpen(dataDir, async ({ readModels }) =>
    (await readModels.generations()).some(({ status }) => status === 'live'),
  );

tap.equal(archives.length, 2);
for (const archive of archives) {
  tap.test(`data written by ${archive}`, { timeout: 300_000 }, async (t) => {
    const dataDir = join(t.testdir(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', dataDir]);
    await startedOn(dataDir);
    await whileOpen(dataDir, async (adapters) => {
      t.equal(await employeesIn(adapters), 6);
      t.equal(await openIn(adapters), 6, 'the planned invitations are there');
      const generations = await adapters.readModels.generations();
      t.same(
        generations.map(({ status }) => status),
        ['other', 'live'],
        'built anew beside the old ones, once',
      );
    });
    t.match(await rollcallWithin(dataDir)('audit verify'), { code: 0, err: '' });
    await startedOn(dataDir);
    t.equal(
      (await whileOpen(dataDir, ({ readModels }) => readModels.generations())).length,
      2,
      'and not again',
    );
  });
}
