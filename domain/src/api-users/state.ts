import type { ApiRole } from '@rollcall/contracts';
import { GrowingMap } from './growing-map.js';

export interface ApiUser {
  readonly status: 'active' | 'revoked';
  readonly userId: number;
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

export interface ApiUsersState {
  readonly users: GrowingMap<number, ApiUser>;
  /** May hold ids that are not among `users`. */
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

/** The log only revokes: an id that it does not know is valid by signature and claims. */
export const isTokenRevoked = (state: ApiUsersState, token: { userId: number; jti: string }): boolean =>
  state.revokedUsers.has(token.userId) || state.revokedTokens.has(token.jti);
