import { ImportEngine, onlyOwn } from '@rollcall/application';
import { findRows, rulesVersion } from '@rollcall/host';
import { companyStates } from '../company-states.js';
import type { Session } from '../session.js';

/** Accepts an import in this process, as the api does in its threads. */
export async function commandEngine(session: Session): Promise<ImportEngine> {
  const { log, readModels, config, clock, io } = session;
  return new ImportEngine({
    log,
    clock,
    ...(await companyStates(session)),
    findRows: findRows(onlyOwn(readModels, { log, clock })),
    temporaryFolder: config.adapters.dataDir,
    processId: io.newId(),
    rules: rulesVersion,
    stopping: () => false,
  });
}
