import type { ApiUserCreated, DomainEventOf } from '@rollcall/contracts';
import type { ApiUsersState } from './state.js';

/** What can stand on `api-users`. */
export type ApiUsersEvent = DomainEventOf<'ApiUserCreated' | 'ApiUserRevoked' | 'ApiTokenRevoked'>;

function created(state: ApiUsersState, data: ApiUserCreated): ApiUsersState {
  const user = { ...data, status: state.revokedUsers.has(data.userId) ? 'revoked' : 'active' } as const;
  return {
    ...state,
    users: new Map(state.users).set(data.userId, user),
    lastUserId: Math.max(state.lastUserId, data.userId),
  };
}

function revoked(state: ApiUsersState, userId: number): ApiUsersState {
  const user = state.users.get(userId);
  return {
    ...state,
    users: user ? new Map(state.users).set(userId, { ...user, status: 'revoked' }) : state.users,
    revokedUsers: new Set(state.revokedUsers).add(userId),
  };
}

export function evolve(state: ApiUsersState, event: ApiUsersEvent): ApiUsersState {
  switch (event.name) {
    case 'ApiUserCreated':
      return created(state, event.data);
    case 'ApiUserRevoked':
      return revoked(state, event.data.userId);
    case 'ApiTokenRevoked':
      return { ...state, revokedTokens: new Set(state.revokedTokens).add(event.data.jti) };
    default:
      return event satisfies never;
  }
}
