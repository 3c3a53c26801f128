import type { HealthProblem } from '@rollcall/host';
import type { AccessRecorder, ReadModelWait } from '@rollcall/application';
import type { ApiDeps } from './deps.js';
import type { RunningKeys } from './http/call.js';
import type { RefusalLimit } from './http/rate-limits.js';
import type { BodyBudget } from './http/body-memory.js';
import type { PublicKeys, Guards } from './http/authentication.js';
import type { RevocationCache } from './http/revocation-cache.js';
import type { ApiApp } from './http/fastify-types.js';

export interface RouteDependencies extends Omit<ApiDeps, 'publicKeys' | 'readPublicKeys' | 'digestKey'> {
  readonly access: Pick<AccessRecorder, 'read'>;
  readonly guards: Guards;
  readonly publicKeys: Pick<PublicKeys, 'current'>;
  readonly revocations: RevocationCache;
  readonly runningKeys: RunningKeys;
  readonly readModelWait: ReadModelWait;
  readonly bodies: BodyBudget;
  readonly refusals: RefusalLimit;
  /** What keeps this process from its work, or a part of it. */
  readonly readiness: () => Promise<readonly HealthProblem[]>;
}

export type Routes = (app: ApiApp, kit: RouteDependencies) => void;
