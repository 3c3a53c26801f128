import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginInstallation } from '@rollcall/host';
import { keyPaths, openAdapters, type Adapters, type AdaptersConfig } from '@rollcall/adapters';
import {
  addApiUser,
  companyHasWork,
  configureCompany,
  extendCatalogue,
  readInstallation,
  systemClock,
} from '@rollcall/application';
import { projections } from '@rollcall/projector';
import tap, { type Test } from 'tap';
import { projectAll } from '../projector/projector.support.js';
import { testContext } from '../support/test-store.js';
import { embeddedAdapters } from '../support/embedded-adapters.js';
import { exactly } from '../support/exactly.js';

async function opened(t: Test, dataDir: string, change: Partial<AdaptersConfig> = {}): Promise<Adapters> {
  const adapters = await openAdapters({ ...embeddedAdapters(dataDir), ...change });
  t.teardown(() => adapters.close());
  return adapters;
}

const partsOf = (dataDir: string, adapters: Adapters) => ({
  ...adapters,
  keyFolder: keyPaths(dataDir).folder,
  clock: systemClock,
});

const begin = (dataDir: string, adapters: Adapters) => beginInstallation(partsOf(dataDir, adapters));

const configure = ({ log }: Adapters, company: number) =>
  configureCompany({ log, clock: systemClock }, testContext(company), { companyId: company, changes: {} });

const keyFile = (dataDir: string): string => join(keyPaths(dataDir).folder, 'digest.key');

tap.test('of many that begin at once all get one installation and one key', async (t) => {
  const dataDir = t.testdir();
  const adapters = await opened(t, dataDir);
  const all = await Promise.all(Array.from({ length: 20 }, () => begin(dataDir, adapters)));
  for (const keys of all) t.same(keys, all[0]);
  const events = [];
  for await (const event of adapters.log.readStream('installation')) events.push(event);
  t.match(events, exactly([{ type: 'InstallationCreated', position: 1n }, { type: 'CatalogueExtended' }]));
  await configure(adapters, 1);
  t.same(await begin(dataDir, adapters), all[0], 'and later ones the same');
});

tap.test('a key is never made for a log that has one', async (t) => {
  const dataDir = t.testdir();
  const adapters = await opened(t, dataDir);
  const keys = await begin(dataDir, adapters);
  renameSync(keyFile(dataDir), join(dataDir, 'kept'));
  const missing = { name: 'KeysUnusable', message: /digest\.key is missing.*restore it from a backup/ };
  await t.rejects(begin(dataDir, adapters), missing);
  t.same(readdirSync(keyPaths(dataDir).folder), []);
  writeFileSync(keyFile(dataDir), Buffer.alloc(32, 7));
  await t.rejects(begin(dataDir, adapters), {
    name: 'KeysUnusable',
    message: /is not the key of this event log/,
  });
  rmSync(keyFile(dataDir));
  renameSync(join(dataDir, 'kept'), keyFile(dataDir));
  t.same(await begin(dataDir, adapters), keys);
});

tap.test('a log of an earlier version says from its first start on which installation it is', async (t) => {
  const dataDir = t.testdir();
  const adapters = await opened(t, dataDir);
  await configure(adapters, 1);
  await projectAll({ ...adapters, projections });
  await begin(dataDir, adapters);
  const installation = await readInstallation(adapters.log);
  t.match(installation?.installationId, /^[0-9a-f-]{36}$/);
  await begin(dataDir, adapters);
  await projectAll({ ...adapters, projections });
  t.match(await adapters.readModels.progress(), { last: { installationId: installation?.installationId } });
});

tap.test('an empty log beside read models or a queue that are not empty is refused', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'filled');
  const adapters = await opened(t, dataDir);
  await begin(dataDir, adapters);
  await configure(adapters, 1);
  await projectAll({ ...adapters, projections });
  const empty = await opened(t, join(folder, 'empty'));
  const mismatch = {
    name: 'InstallationMismatch',
    message: /^The event log is empty.*restore the event log/,
  };
  const { log } = empty;
  const fresh = { queue: empty.queue, readModels: empty.readModels };
  const place = keyPaths(join(folder, 'empty')).folder;
  const parts = { log, ...fresh, keyFolder: place, clock: systemClock };
  await t.rejects(beginInstallation({ ...parts, readModels: adapters.readModels }), mismatch);
  await adapters.queue.publish('imports', companyHasWork(1, 0));
  await t.rejects(beginInstallation({ ...parts, queue: adapters.queue }), mismatch);
  t.equal(await log.lastPosition(), undefined, 'nothing is written');
  await t.resolves(beginInstallation(parts));
  await t.rejects(
    beginInstallation({ ...parts, readModels: adapters.readModels }),
    { name: 'InstallationMismatch', message: /another installation.*rollcall projections rebuild/ },
    'nor are read models of another installation used',
  );
});

tap.test('a log of an earlier version with imports needs its key', async (t) => {
  const dataDir = t.testdir();
  const adapters = await opened(t, dataDir);
  await addApiUser({ log: adapters.log, clock: systemClock }, testContext(1), {
    companyId: 1,
    name: 'HR',
    roles: [],
  });
  await t.resolves(begin(dataDir, adapters), 'without imports there is nothing that a key was used for');
});

tap.test(
  'a process that only reads announces no event types: an older version may start beside it',
  async (t) => {
    const dataDir = t.testdir();
    const adapters = await opened(t, dataDir);
    const lastType = async (): Promise<unknown> => (await adapters.log.readLast('installation'))?.type;
    await beginInstallation({ ...partsOf(dataDir, adapters), onlyReads: true });
    t.equal(await lastType(), 'InstallationCreated');
    await begin(dataDir, adapters);
    t.equal(await lastType(), 'CatalogueExtended');
  },
);

tap.test('a log that a newer program has written to is refused', async (t) => {
  const dataDir = t.testdir();
  const adapters = await opened(t, dataDir);
  await begin(dataDir, adapters);
  const deps = { log: adapters.log, clock: systemClock };
  await extendCatalogue(deps, testContext(), ['CompanyConfigured', 'EmployeeSetReplaced.v99']);
  await t.rejects(begin(dataDir, adapters), {
    name: 'InstallationMismatch',
    message: /newer version.*EmployeeSetReplaced\.v99/,
  });
});

tap.test('a log file of 0 bytes beside read models is no empty log', async (t) => {
  const dataDir = t.testdir();
  const before = await openAdapters(embeddedAdapters(dataDir));
  await begin(dataDir, before);
  await projectAll({ ...before, projections });
  await before.close();
  writeFileSync(join(dataDir, 'event-log', 'data.mdb'), '');
  const after = await opened(t, dataDir);
  await t.rejects(begin(dataDir, after), {
    name: 'InstallationMismatch',
    message: /^The event log is empty/,
  });
});
