import type { ApiRole } from '@rollcall/contracts';

export interface AddApiUser {
  readonly kind: 'add';
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

export interface RevokeApiUser {
  readonly kind: 'revoke';
  readonly userId: number;
}

export interface RevokeToken {
  readonly kind: 'revoke-token';
  readonly jti: string;
}

export type ApiUserCommand = AddApiUser | RevokeApiUser | RevokeToken;

/** Decided on the users, recorded on the user's own stream. */
export interface IssueToken {
  readonly userId: number;
  readonly jti: string;
  readonly kid: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}
