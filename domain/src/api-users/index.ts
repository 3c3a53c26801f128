export {
  type AddApiUser,
  type ApiUserCommand,
  decide,
  decideIssue,
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
