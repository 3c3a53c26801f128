import { CompanyStateCache, BoundedCache } from '@rollcall/application';
import type { PreviewRow } from '@rollcall/contracts';
import { Digester } from '@rollcall/employee-lists';
import type { RouteDependencies } from '../../route-dependencies.js';

/** Outcomes of held imports, each with the few rows of it that are shown. */
const maxHeld = 20;
const cacheBytes = 16 * 1024 * 1024;

export interface CompanyDecisions {
  readonly digester: Digester;
  readonly states: CompanyStateCache;
  /** By the operation and the outcome that is held. */
  readonly heldRows: BoundedCache<string, readonly PreviewRow[]>;
}

export function companyDecisions({ snapshots }: RouteDependencies, digestKey: Uint8Array): CompanyDecisions {
  const digester = new Digester(digestKey);
  const none = { newest: () => Promise.resolve(undefined) };
  const states = new CompanyStateCache({ snapshots: snapshots ?? none, digester, cacheBytes });
  return { digester, states, heldRows: new BoundedCache({ most: maxHeld }) };
}
