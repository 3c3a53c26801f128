export {
  type ClaimKey,
  type KeyCommand,
  type KeyRejection,
  type SettleKey,
  decide,
  type KeyDecision,
  keyHash,
  type SentKey,
} from './decide.js';
export { evolve, type KeyEvent, claimInForce, initialState, type KeyClaim, type KeyState } from './evolve.js';
