import type { DomainEventOf, ApiRole } from '@rollcall/contracts';
import { isBlank, isLongerThan, isStorable } from '@rollcall/employee-lists/text';
import type { ApiUsersEvent, ApiUsersState } from './evolve.js';
import { type Decision, type Events, type Refused, refused } from '../decision.js';

export type ApiUserRejection =
  | { readonly reason: 'name-invalid'; readonly problem: string }
  | { readonly reason: 'company-invalid' }
  | { readonly reason: 'jti-invalid' }
  | { readonly reason: 'user-unknown'; readonly userId: number }
  | { readonly reason: 'user-revoked'; readonly userId: number };

export interface AddApiUser {
  readonly kind: 'add';
  readonly companyId: number;
  readonly name: string;
  readonly roles: readonly ApiRole[];
}

interface RevokeApiUser {
  readonly kind: 'revoke';
  readonly userId: number;
}

interface RevokeToken {
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

type ApiUserDecision = Decision<readonly ApiUsersEvent[], ApiUserRejection>;

type IssueDecision = Events<readonly DomainEventOf<'ApiTokenIssued'>[]> | Refused<ApiUserRejection>;

function nameProblem(name: string): string | undefined {
  if (isBlank(name)) return 'must not be blank';
  if (isLongerThan(name, 150)) return 'must be at most 150 characters';
  return isStorable(name) ? undefined : 'must be text without control character 0 and broken surrogate pairs';
}

function add(command: AddApiUser, state: ApiUsersState): ApiUserDecision {
  if (!Number.isSafeInteger(command.companyId) || command.companyId < 1)
    return refused({ reason: 'company-invalid' });
  const problem = nameProblem(command.name);
  if (problem) return refused({ reason: 'name-invalid', problem });
  const { companyId, name } = command;
  const data = { userId: state.lastUserId + 1, companyId, name, roles: [...new Set(command.roles)] };
  return { kind: 'events', events: [{ name: 'ApiUserCreated', data }] };
}

function revoke({ userId }: RevokeApiUser, state: ApiUsersState): ApiUserDecision {
  if (!state.users.has(userId)) return refused({ reason: 'user-unknown', userId });
  if (state.revokedUsers.has(userId)) return { kind: 'nothing' };
  return { kind: 'events', events: [{ name: 'ApiUserRevoked', data: { userId } }] };
}

function revokeToken({ jti }: RevokeToken, state: ApiUsersState): ApiUserDecision {
  if (isBlank(jti) || isLongerThan(jti, 255) || !isStorable(jti)) return refused({ reason: 'jti-invalid' });
  if (state.revokedTokens.has(jti)) return { kind: 'nothing' };
  return { kind: 'events', events: [{ name: 'ApiTokenRevoked', data: { jti } }] };
}

/** Revoking twice does nothing. */
export function decide(command: ApiUserCommand, state: ApiUsersState): ApiUserDecision {
  switch (command.kind) {
    case 'add':
      return add(command, state);
    case 'revoke':
      return revoke(command, state);
    case 'revoke-token':
      return revokeToken(command, state);
    default:
      return command satisfies never;
  }
}

/** The event goes to `apitokens-{userId}`. */
export function decideIssue(command: IssueToken, state: ApiUsersState): IssueDecision {
  const { userId, jti, kid, expiresAt } = command;
  if (!state.users.has(userId)) return refused({ reason: 'user-unknown', userId });
  if (state.revokedUsers.has(userId)) return refused({ reason: 'user-revoked', userId });
  return { kind: 'events', events: [{ name: 'ApiTokenIssued', data: { userId, jti, kid, expiresAt } }] };
}
