import type { ApiTokenIssued, CallContext } from '@rollcall/contracts';
import { apiUsers } from '@rollcall/domain';
import { decideAndAppend, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { foldStream, type Fold } from '../event-store/load-state.js';
import { unlessCorrupt, type EventReader, type StreamAdmin } from '../ports/event-log.js';
import type { SavedStatesReader } from '../event-store/saved-states.js';
import { readApiUsers } from './api-users.js';

const streamPrefix = 'apitokens-';

interface TokenRequest {
  readonly userId: number;
  readonly lifetime: number;
  readonly jti: string;
  readonly signer: TokenSigner;
  readonly issuer: string;
  readonly audience: string;
}

type TokenIssued =
  | { readonly kind: 'issued'; readonly token: string; readonly issued: ApiTokenIssued }
  | { readonly kind: 'refused'; readonly rejection: apiUsers.ApiUserRejection };

function sign(user: apiUsers.ApiUser, request: TokenRequest, iat: number): string {
  const { userId, name, companyId: company, roles } = user;
  const { issuer: iss, audience: aud, jti } = request;
  const exp = iat + request.lifetime;
  const claims = { sub: String(userId), name, company, roles: [...roles] };
  return request.signer.sign({ ...claims, iss, aud, iat, exp, jti });
}

/** Issues a token (docs/contract, "Token"), logged before it is returned. The token itself is never stored. */
export async function issueToken(
  deps: DecideAndAppendDeps & Pick<SavedStatesReader, 'snapshots'>,
  context: CallContext,
  request: TokenRequest,
): Promise<TokenIssued> {
  const { userId, jti, signer } = request;
  const iat = Math.floor(deps.clock.now() / 1000);
  const expiresAt = new Date((iat + request.lifetime) * 1000).toISOString();
  const issued = { userId, jti, kid: signer.kid, expiresAt };
  const users = await readApiUsers(deps);
  const decision = apiUsers.decideIssue(issued, users);
  const user = users.users.get(userId);
  if (decision.kind === 'refused') return decision;
  if (!user) throw new TypeError('A token was granted to a user who is not there.');
  const token = sign(user, request, iat);
  await decideAndAppend<readonly ApiTokenIssued[], never>(deps, {
    stream: `${streamPrefix}${userId}`,
    context: { ...context, companyId: user.companyId },
    fold: issuedTokensFold,
    decide: () => decision,
  });
  return { kind: 'issued', token, issued };
}

const issuedTokensFold: Fold<readonly ApiTokenIssued[]> = {
  initial: () => [],
  evolve: async (issued, event) => [...issued, await event.data('ApiTokenIssued')],
  touches: () => false,
};

/** Oldest first; never the tokens themselves. */
export async function readIssuedTokens(log: EventReader, userId: number): Promise<readonly ApiTokenIssued[]> {
  return (await foldStream(log, `${streamPrefix}${userId}`, issuedTokensFold)).state;
}

export async function findIssuedToken(
  log: EventReader & StreamAdmin,
  jti: string,
): Promise<ApiTokenIssued | undefined> {
  for await (const { stream } of log.listStreams(streamPrefix)) {
    const issued = await unlessCorrupt(foldStream(log, stream, issuedTokensFold));
    const found = issued?.state.find((each) => each.jti === jti);
    if (found) return found;
  }
  return undefined;
}

export interface TokenSigner {
  readonly kid: string;
  sign(claims: Readonly<Record<string, unknown>>): string;
}
