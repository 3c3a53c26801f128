import { CompanyStateCache } from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import { installationKeys } from '@rollcall/host';
import type { Session } from './session.js';

const cacheBytes = 64 * 1024 * 1024;

/** With what decisions on a company need besides the log: the installation's digests, and states from snapshots. */
export async function withCompanyStates<S extends Session>(session: S) {
  const { log, snapshots, config } = session;
  const digester = new Digester((await installationKeys(log, config.keyFolder)).digestKey);
  return { ...session, digester, states: new CompanyStateCache({ snapshots, digester, cacheBytes }) };
}
