import type { AccessRecorder, Every } from '@rollcall/application';
import type { ApiRole } from '@rollcall/contracts';
import { apiUsers } from '@rollcall/domain';
import type { FastifyRequest, onRequestHookHandler, FastifyBaseLogger } from 'fastify';
import type { RevocationCache } from './revocation-cache.js';
import { callOf, callerOf, type Caller, headerValues } from './call.js';
import { HttpError, unauthorized } from './errors.js';
import type { ApiApp } from './fastify-types.js';
import { createDecoder, createVerifier } from 'fast-jwt';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ApiConfig } from '../deps.js';
import type { KeyFolder } from '@rollcall/adapters';

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
  app.addHook('onSend', (request, reply, _payload, done) => {
    // No page sends it, and every 401 of the api does.
    if (reply.hasHeader('www-authenticate')) access.refused(claimsOf(headerValues(request, 'authorization')));
    done();
  });
  const authenticate: Check = async (request) => {
    const call = callOf(request);
    const claims = verify(headerValues(request, 'authorization'));
    call.acceptAgain = () => acceptedCaller(claims, revocations);
    call.caller = await call.acceptAgain();
    requirePathCompany(request);
    requireReading(request);
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
  if (!users) throw new HttpError('unavailable', { reason: 'what is known of API users is too old' });
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

/** The claims that the service reads (docs/contract, "Token"). */
const TokenClaims = Type.Object({
  sub: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  company: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  roles: Type.Array(Type.String()),
  jti: Type.String({ minLength: 1 }),
  iat: Type.Number(),
  exp: Type.Number(),
});
type TokenClaims = Static<typeof TokenClaims>;

const claims = Compile(TokenClaims);
const requiredClaims = ['iss', 'aud', 'iat', 'exp', 'sub', 'jti', 'company', 'roles'];
const cacheMs = 60_000;
/** Tokens of each key: as many callers may come by turns without a signature checked again; some 10 MB. */
const cachedTokens = 10_000;

type DecodedJwt = {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** Checks a bearer token from all `Authorization` headers; a 401 with the reason for the log, a 503 without any key. */
type VerifyToken = (authorization: readonly string[]) => TokenClaims;

type CheckToken = (token: string) => unknown;
type Keys = ReadonlyMap<string, string>;

const decode = createDecoder({ complete: true }) as (token: string) => DecodedJwt;

/** Each key set has caches of its own: acceptance under old keys does not carry over. */
function checkerFor(config: ApiConfig, keys: Keys): CheckToken {
  const verifiers = new Map<string, CheckToken>();
  return (token) => {
    const { kid } = decode(token).header;
    const key = typeof kid === 'string' ? keys.get(kid) : undefined;
    if (typeof kid !== 'string' || key === undefined) throw new Error('no configured key has this kid');
    const verifier = verifiers.get(kid) ?? verifierFor(config, key);
    verifiers.set(kid, verifier);
    return verifier(token);
  };
}

/** With its key given at once: through a function the library makes the public key anew for every token. */
const verifierFor = (config: ApiConfig, key: string): CheckToken =>
  createVerifier({
    key,
    algorithms: [config.jwtAlgorithm],
    allowedIss: config.jwtIssuer,
    allowedAud: config.jwtAudience,
    requiredClaims,
    cache: cachedTokens,
    cacheTTL: cacheMs,
    // A refusal may be due to a wrong clock: it is not cached.
    errorCacheTTL: () => Number.NEGATIVE_INFINITY,
  });

/** Checks with the configured algorithm, whatever the token says. `currentKeys` returns another object after a change. */
export function tokenVerifier(config: ApiConfig, currentKeys: () => Keys): VerifyToken {
  let keys = currentKeys();
  let check = checkerFor(config, keys);
  return (authorization) => {
    const token = bearerToken(authorization);
    if (keys !== currentKeys()) {
      keys = currentKeys();
      check = checkerFor(config, keys);
    }
    if (keys.size === 0)
      throw new HttpError('unavailable', { reason: 'there is no key to check tokens with' });
    let payload: unknown;
    try {
      payload = check(token);
    } catch (error) {
      throw unauthorized(refusalOf(error));
    }
    if (!claims.Check(payload)) throw unauthorized('misshapen claims');
    return payload;
  };
}

/** What a token says of itself, unverified; nothing where it is none. */
function claimsOf(authorization: readonly string[]): {
  readonly kid: unknown;
  readonly subject: unknown;
} {
  try {
    const { header, payload } = decode(bearerToken(authorization));
    return { kid: header['kid'], subject: payload['sub'] };
  } catch {
    return { kid: null, subject: null };
  }
}

function bearerToken([authorization, second]: readonly string[]): string {
  if (authorization === undefined) throw unauthorized('no Authorization header');
  if (second !== undefined) throw unauthorized('two Authorization headers');
  const token = /^Bearer +([\w.-]+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthorized('the Authorization header is no bearer token');
  return token;
}

const refusalOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'an unknown kid or an unreadable token';

const keyRefreshMs = 2_000;

interface PublicKeysDeps {
  readonly publicKeys: ReadonlyMap<string, string>;
  /** Reads them again; absent: they never change. */
  readonly readPublicKeys?: () => Promise<KeyFolder>;
  readonly logger: FastifyBaseLogger;
  readonly every: Every;
}

/** The token keys, refreshed by a timer: signing keys rotate without a restart. */
export class PublicKeys {
  readonly #deps: PublicKeysDeps;
  #keys: ReadonlyMap<string, string>;
  #problems = '';
  #stop: (() => void) | undefined;

  constructor(deps: PublicKeysDeps) {
    this.#deps = deps;
    this.#keys = deps.publicKeys;
  }

  start(): void {
    const { every, readPublicKeys } = this.#deps;
    if (readPublicKeys) this.#stop = every(keyRefreshMs, () => this.#refresh(readPublicKeys));
  }

  stop(): void {
    this.#stop?.();
  }

  current(): ReadonlyMap<string, string> {
    return this.#keys;
  }

  /** An unreadable folder changes nothing; an unreadable file keeps its known key. */
  async #refresh(read: () => Promise<KeyFolder>): Promise<void> {
    const { logger } = this.#deps;
    try {
      const { keys, unusable } = await read();
      this.#report([...unusable.values()].map(({ message }) => message).join(' '));
      this.#take(new Map([...[...this.#keys].filter(([kid]) => unusable.has(kid)), ...keys]));
    } catch (error) {
      logger.error({ err: error }, 'the public keys cannot be read again; those known stay in force');
    }
  }

  #take(keys: ReadonlyMap<string, string>): void {
    if (isSame(keys, this.#keys)) return;
    this.#keys = keys;
    this.#deps.logger.info({ kids: [...keys.keys()] }, 'the public keys changed');
  }

  #report(problems: string): void {
    if (problems !== this.#problems && problems !== '')
      this.#deps.logger.error({ problems }, 'some public keys cannot be read; the others are in force');
    this.#problems = problems;
  }
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([kid, pem]) => other.get(kid) === pem);
