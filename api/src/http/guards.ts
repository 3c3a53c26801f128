import type { ApiRole } from '@rollcall/contracts';
import { apiUsers } from '@rollcall/domain';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { RevocationCache } from './revocation-cache.js';
import { callOf, callerOf, type Caller } from './call.js';
import { headerValues } from './call-headers.js';
import { HttpError, unauthorized } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import type { TokenClaims, VerifyToken } from './tokens.js';

/** `onRequest` hooks: they run before a byte of the body is read. */
export interface Guards {
  /** Any valid token, of the company in the path where there is one. */
  readonly anyUser: onRequestHookHandler;
  /** The same, with the role HRIntegration. */
  readonly hrIntegration: onRequestHookHandler;
}

type Check = (request: FastifyRequest) => Promise<void>;

const integrator: ApiRole = 'HRIntegration';

/** Needs `@fastify/auth` to be registered. */
export function createGuards(app: ApiApp, verify: VerifyToken, knowledge: RevocationCache): Guards {
  const authenticate: Check = async (request) => {
    const claims = await verify(headerValues(request, 'authorization'));
    callOf(request).caller = await acceptedCaller(claims, knowledge);
    requirePathCompany(request);
  };
  const hasRole: Check = (request) =>
    callerOf(request).roles.includes(integrator)
      ? Promise.resolve()
      : Promise.reject(unauthorized('the role HRIntegration is missing'));
  return {
    anyUser: app.auth([authenticate], { relation: 'and' }),
    hrIntegration: app.auth([authenticate, hasRole], { relation: 'and' }),
  };
}

async function acceptedCaller(claims: TokenClaims, knowledge: RevocationCache): Promise<Caller> {
  const userId = Number(claims.sub);
  // A user whom the command line made a moment ago is not refused for that, nor one who calls while the timer is late.
  const users = await knowledge.usersWith(userId);
  if (!users) throw new HttpError('unavailable', { reason: 'the knowledge of API users is too old' });
  const user = users.users.get(userId);
  if (user?.companyId !== claims.company) throw unauthorized('the API user is unknown or of another company');
  if (apiUsers.isTokenRevoked(users, { userId, jti: claims.jti })) throw unauthorized('revoked');
  return { userId, companyId: claims.company, name: user.name, roles: claims.roles };
}

/** A path `companyId` that is anything but the token's is a 401 (docs/contract, "401"). */
function requirePathCompany(request: FastifyRequest): void {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('companyId' in params)) return;
  if (params.companyId !== String(callerOf(request).companyId))
    throw unauthorized('the path is of another company');
}
