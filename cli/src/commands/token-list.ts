import { readApiUsers, readIssuedTokens, plain } from '@rollcall/application';
import type { ApiTokenIssued } from '@rollcall/contracts';
import type { apiUsers } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import { answer, table } from '../output.js';
import { withSession, type Session } from '../session.js';
import { userRefusal } from './user-refusals.js';

export interface ListOptions {
  readonly company?: number;
  readonly user?: number;
  readonly json?: boolean;
}

/** `revoked`: the token or its user; also an id that was not issued here. */
type TokenState = 'valid' | 'expired' | 'revoked';

interface KnownToken {
  readonly jti: string;
  readonly state: TokenState;
  readonly userId: number | null;
  readonly companyId: number | null;
  readonly kid: string | null;
  readonly expiresAt: string | null;
}

interface Looked {
  readonly state: apiUsers.ApiUsersState;
  readonly now: number;
}

function stateOf(
  { jti, expiresAt }: ApiTokenIssued,
  user: apiUsers.ApiUser,
  { state, now }: Looked,
): TokenState {
  if (user.status === 'revoked' || state.revokedTokens.has(jti)) return 'revoked';
  return Date.parse(expiresAt) <= now ? 'expired' : 'valid';
}

export async function issuedTo(
  { log }: Session,
  user: apiUsers.ApiUser,
  looked: Looked,
): Promise<KnownToken[]> {
  const issued = await readIssuedTokens(log, user.userId);
  const { companyId } = user;
  return issued.map((each) => ({ ...each, state: stateOf(each, user, looked), companyId }));
}

const revokedElsewhere = ({ state }: Looked, issued: readonly KnownToken[]): KnownToken[] => {
  const known = new Set(issued.map(({ jti }) => jti));
  return [...state.revokedTokens.keys()]
    .filter((jti) => !known.has(jti))
    .map((jti) => ({ jti, state: 'revoked', userId: null, companyId: null, kid: null, expiresAt: null }));
};

async function knownTokens(session: Session, { company, user }: ListOptions): Promise<KnownToken[]> {
  const looked = { state: await readApiUsers(session), now: session.clock.now() };
  if (user !== undefined && !looked.state.users.has(user))
    throw userRefusal({ reason: 'user-unknown', userId: user });
  const users = [...looked.state.users.values()].filter(
    ({ userId, companyId }) => userId === (user ?? userId) && companyId === (company ?? companyId),
  );
  const tokens: KnownToken[] = [];
  for (const each of users) tokens.push(...(await issuedTo(session, each, looked)));
  const isWhole = company === undefined && user === undefined;
  return isWhole ? [...tokens, ...revokedElsewhere(looked, tokens)] : tokens;
}

const cellsOf = ({ jti, state, userId, companyId, kid, expiresAt }: KnownToken): string[] => [
  plain(jti),
  state,
  userId === null ? 'not from here' : String(userId),
  companyId === null ? '' : String(companyId),
  expiresAt ?? '',
  kid === null ? '' : plain(kid),
];

export const listTokens = (io: CliIo, options: ListOptions): Promise<void> =>
  withSession(io, async (session) => {
    await requireCompany(session, options.company);
    const tokens = await knownTokens(session, options);
    const head = ['token', 'state', 'user', 'company', 'expires', 'key'];
    await answer(io, options.json ?? false, { tokens }, table(head, tokens.map(cellsOf)));
  });
