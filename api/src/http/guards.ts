import type { AccessRecorder } from '@rollcall/application';
import type { ApiRole } from '@rollcall/contracts';
import { apiUsers } from '@rollcall/domain';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { RevocationCache } from './revocation-cache.js';
import { callOf, callerOf, type Caller } from './call.js';
import { headerValues } from './call-headers.js';
import { HttpError, unauthorized } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { claimsOf, type TokenClaims, type VerifyToken } from './tokens.js';

/** `onRequest` hooks: they run before any byte of the body is read. */
export interface Guards {
  /** Any valid token, of the path's company where it names one. */
  readonly anyUser: onRequestHookHandler;
  readonly hrIntegration: onRequestHookHandler;
  /** For reading personal data. */
  readonly reader: onRequestHookHandler;
}

type RefusalReport = Pick<AccessRecorder, 'refused'>;

type Check = (request: FastifyRequest) => Promise<void>;

const integrator: ApiRole = 'HRIntegration';
const auditor: ApiRole = 'Auditor';
const readingMethods: readonly string[] = ['GET', 'HEAD'];

/** Needs `@fastify/auth`. */
export function createGuards(
  app: ApiApp,
  verify: VerifyToken,
  { revocations, access }: { readonly revocations: RevocationCache; readonly access: RefusalReport },
): Guards {
  const authenticate: Check = async (request) => {
    try {
      const claims = verify(headerValues(request, 'authorization'));
      callOf(request).caller = await acceptedCaller(claims, revocations);
      requirePathCompany(request);
      requireReading(request);
    } catch (error) {
      if (error instanceof HttpError && error.kind === 'unauthorized')
        access.refused(claimsOf(headerValues(request, 'authorization')));
      throw error;
    }
  };
  const roleCheck =
    (...roles: readonly ApiRole[]): Check =>
    (request) =>
      roles.some((role) => callerOf(request).roles.includes(role))
        ? Promise.resolve()
        : Promise.reject(unauthorized(`the role ${roles.join(' or ')} is missing`));
  return {
    anyUser: app.auth([authenticate], { relation: 'and' }),
    hrIntegration: app.auth([authenticate, roleCheck(integrator)], { relation: 'and' }),
    reader: app.auth([authenticate, roleCheck(integrator, auditor)], { relation: 'and' }),
  };
}

async function acceptedCaller(claims: TokenClaims, revocations: RevocationCache): Promise<Caller> {
  const userId = Number(claims.sub);
  // Reads the log where the cache is stale or lacks the user: new users are accepted at once.
  const users = await revocations.usersWith(userId);
  if (!users) throw new HttpError('unavailable', { reason: 'the knowledge of API users is too old' });
  const user = users.users.get(userId);
  if (user?.companyId !== claims.company) throw unauthorized('the API user is unknown or of another company');
  if (apiUsers.isTokenRevoked(users, { userId, jti: claims.jti })) throw unauthorized('revoked');
  return { userId, companyId: claims.company, name: user.name, roles: claims.roles };
}

/** An auditor changes nothing, unless another role allows it. */
function requireReading(request: FastifyRequest): void {
  const { roles } = callerOf(request);
  if (readingMethods.includes(request.method) || !roles.includes(auditor) || roles.includes(integrator))
    return;
  throw unauthorized('the role Auditor changes nothing');
}

/** Any `companyId` other than the token's is a 401 (docs/contract, "401"). */
function requirePathCompany(request: FastifyRequest): void {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('companyId' in params)) return;
  if (params.companyId !== String(callerOf(request).companyId))
    throw unauthorized('the path is of another company');
}
