import type { ApiDeps } from '../deps.js';
import type { RunningKeys } from '../idempotency/running-keys.js';
import type { ApiUserKnowledge } from './api-user-knowledge.js';
import type { ApiApp } from './fastify-types.js';
import type { Guards } from './guards.js';

/** What every route gets. */
export interface RouteKit extends ApiDeps {
  readonly guards: Guards;
  readonly knowledge: ApiUserKnowledge;
  readonly runningKeys: RunningKeys;
}

export type Routes = (app: ApiApp, kit: RouteKit) => void;
