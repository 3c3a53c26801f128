import { CompanyStateCache, ImportEngine, onlyOwn } from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import { findRows, installationKeys, rulesVersion } from '@rollcall/host';
import type { Session } from '../session.js';

const stateCacheBytes = 64 * 1024 * 1024;

/** Accepts an import in this process, as the api does in its threads. */
export async function commandEngine(session: Session): Promise<ImportEngine> {
  const { log, readModels, snapshots, config, clock, io } = session;
  const digester = new Digester((await installationKeys(log, config.keyFolder)).digestKey);
  return new ImportEngine({
    log,
    clock,
    digester,
    states: new CompanyStateCache({ snapshots, digester, cacheBytes: stateCacheBytes }),
    findRows: findRows(onlyOwn(readModels, { log, clock })),
    temporaryFolder: config.adapters.dataDir,
    processId: io.newId(),
    rules: rulesVersion,
    stopping: () => false,
  });
}
