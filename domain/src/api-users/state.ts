import type { ApiRole } from '@rollcall/contracts';

export interface ApiUser {
  readonly status: 'active' | 'revoked';
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

/** State of the stream `api-users`. */
export interface ApiUsersState {
  readonly users: ReadonlyMap<number, ApiUser>;
  /** Users whose tokens are refused; may hold ids that are not among `users`. */
  readonly revokedUsers: ReadonlySet<number>;
  /** `jti` of the tokens that are refused. */
  readonly revokedTokens: ReadonlySet<string>;
  /** The highest id ever given; 0 before the first. */
  readonly lastUserId: number;
}

export const initialState = (): ApiUsersState => ({
  users: new Map(),
  revokedUsers: new Set(),
  revokedTokens: new Set(),
  lastUserId: 0,
});

/**
 * Whether the log refuses a token. An id that the log does not know is no reason: a token is valid by signature and
 * claims, the log only revokes.
 */
export const isTokenRevoked = (state: ApiUsersState, token: { userId: number; jti: string }): boolean =>
  state.revokedUsers.has(token.userId) || state.revokedTokens.has(token.jti);
