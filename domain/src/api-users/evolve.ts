import type { ApiUserCreated, DomainEventOf } from '@rollcall/contracts';
import type { ApiUsersState } from './state.js';

export type ApiUsersEvent = DomainEventOf<'ApiUserCreated' | 'ApiUserRevoked' | 'ApiTokenRevoked'>;

function created(state: ApiUsersState, data: ApiUserCreated): ApiUsersState {
  const user = { ...data, status: state.revokedUsers.has(data.userId) ? 'revoked' : 'active' } as const;
  return {
    ...state,
    users: state.users.with(data.userId, user),
    lastUserId: Math.max(state.lastUserId, data.userId),
  };
}

function revoked(state: ApiUsersState, userId: number): ApiUsersState {
  const user = state.users.get(userId);
  return {
    ...state,
    users: user ? state.users.with(userId, { ...user, status: 'revoked' }) : state.users,
    revokedUsers: state.revokedUsers.with(userId, true),
  };
}

export function evolve(state: ApiUsersState, event: ApiUsersEvent): ApiUsersState {
  switch (event.name) {
    case 'ApiUserCreated':
      return created(state, event.data);
    case 'ApiUserRevoked':
      return revoked(state, event.data.userId);
    case 'ApiTokenRevoked':
      return { ...state, revokedTokens: state.revokedTokens.with(event.data.jti, true) };
    default:
      return event satisfies never;
  }
}
