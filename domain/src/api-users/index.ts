export {
  type AddApiUser,
  type ApiUserCommand,
  type IssueToken,
  type RevokeApiUser,
  type RevokeToken,
  decide,
  decideIssue,
  type ApiUserDecision,
  type IssueDecision,
  type ApiUserRejection,
} from './decide.js';
export { decodeApiUsers, encodeApiUsers } from './encoding.js';
export {
  evolve,
  type ApiUsersEvent,
  initialState,
  isTokenRevoked,
  type ApiUser,
  type ApiUsersState,
} from './evolve.js';
