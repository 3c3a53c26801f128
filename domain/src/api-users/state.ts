import type { ApiRole } from '@rollcall/contracts';
import { GrowingMap } from './growing-map.js';

export interface ApiUser {
  readonly status: 'active' | 'revoked';
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

/** State of the stream `api-users`. */
export interface ApiUsersState {
  readonly users: GrowingMap<number, ApiUser>;
  /** Users whose tokens are refused; may hold ids that are not among `users`. */
  readonly revokedUsers: GrowingMap<number, true>;
  /** `jti` of the tokens that are refused. */
  readonly revokedTokens: GrowingMap<string, true>;
  /** The highest id ever given; 0 before the first. */
  readonly lastUserId: number;
}

export const initialState = (): ApiUsersState => ({
  users: new GrowingMap(),
  revokedUsers: new GrowingMap(),
  revokedTokens: new GrowingMap(),
  lastUserId: 0,
});

/**
 * Whether the log refuses a token. An id that the log does not know is no reason: a token is valid by signature and
 * claims, the log only revokes.
 */
export const isTokenRevoked = (state: ApiUsersState, token: { userId: number; jti: string }): boolean =>
  state.revokedUsers.has(token.userId) || state.revokedTokens.has(token.jti);
