import type { ReadModelWait } from '@rollcall/application';
import type { ApiDeps } from '../deps.js';
import type { RunningKeys } from '../idempotency/keyed-call.js';
import type { RefusalLimit } from '../imports/refusal-limit.js';
import type { BodyBudget } from './body-budget.js';
import type { PublicKeys } from './public-keys.js';
import type { RevocationCache } from './revocation-cache.js';
import type { ApiApp } from './fastify-types.js';
import type { Guards } from './guards.js';

/** What every route gets. */
export interface RouteDependencies extends Omit<ApiDeps, 'publicKeys' | 'readPublicKeys'> {
  readonly guards: Guards;
  /** Those that are in force now. */
  readonly publicKeys: Pick<PublicKeys, 'current'>;
  readonly knowledge: RevocationCache;
  readonly runningKeys: RunningKeys;
  readonly readModelWait: ReadModelWait;
  readonly bodies: BodyBudget;
  readonly refusals: RefusalLimit;
}

export type Routes = (app: ApiApp, kit: RouteDependencies) => void;
