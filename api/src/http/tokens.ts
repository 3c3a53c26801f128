import { createDecoder, createVerifier } from 'fast-jwt';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ApiConfig } from '../deps.js';
import { unauthorized } from './errors.js';

/** The claims that the service reads (docs/contract, "Token"). */
const TokenClaims = Type.Object({
  sub: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
  company: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  roles: Type.Array(Type.String()),
  jti: Type.String({ minLength: 1 }),
  iat: Type.Number(),
  exp: Type.Number(),
});
export type TokenClaims = Static<typeof TokenClaims>;

const claims = Compile(TokenClaims);
const requiredClaims = ['iss', 'aud', 'iat', 'exp', 'sub', 'jti', 'company', 'roles'];
const cacheMs = 60_000;
/** Tokens of each key: as many callers may come by turns without a signature checked again; some 10 MB. */
const cachedTokens = 10_000;

type DecodedJwt = {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** Checks a bearer token from all `Authorization` headers; a 401 with the reason for the log. */
export type VerifyToken = (authorization: readonly string[]) => TokenClaims;

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
export function claimsOf(authorization: readonly string[]): {
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
