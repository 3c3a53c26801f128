import { CompanyStateCache } from '@rollcall/application';
import { Digester } from '@rollcall/employee-lists';
import type { RouteDependencies } from '../../route-dependencies.js';

const cacheBytes = 16 * 1024 * 1024;

/** What actions on a company need besides the log. */
export interface CompanyDecisions {
  readonly digester: Digester;
  readonly states: CompanyStateCache;
}

export function companyDecisions({ snapshots }: RouteDependencies, digestKey: Uint8Array): CompanyDecisions {
  const digester = new Digester(digestKey);
  const none = { newest: () => Promise.resolve(undefined) };
  return { digester, states: new CompanyStateCache({ snapshots: snapshots ?? none, digester, cacheBytes }) };
}
