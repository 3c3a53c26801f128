import type { ApiRole } from '@rollcall/contracts';

export interface AddApiUser {
  readonly kind: 'add';
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

/** Every token of the user is refused from then on. */
export interface RevokeApiUser {
  readonly kind: 'revoke';
  readonly userId: number;
}

/** The token with this id is refused from then on, whoever issued it. */
export interface RevokeToken {
  readonly kind: 'revoke-token';
  readonly jti: string;
}

export type ApiUserCommand = AddApiUser | RevokeApiUser | RevokeToken;

/** Decided from the users, recorded on the user's own stream. */
export interface IssueToken {
  readonly userId: number;
  readonly jti: string;
  readonly kid: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}
