export type { AddApiUser, ApiUserCommand, IssueToken, RevokeApiUser, RevokeToken } from './commands.js';
export { decide, decideIssue, type ApiUserDecision, type IssueDecision } from './decide.js';
export { decodeApiUsers, encodeApiUsers } from './encoding.js';
export { evolve, type ApiUsersEvent } from './evolve.js';
export type { ApiUserRejection } from './rejections.js';
export { initialState, isTokenRevoked, type ApiUser, type ApiUsersState } from './state.js';
