export type { ClaimKey, KeyCommand, KeyRejection, SettleKey } from './commands.js';
export { decide, type KeyDecision } from './decide.js';
export { evolve, type KeyEvent } from './evolve.js';
export { keyHash, type SentKey } from './key-hash.js';
export { claimInForce, initialState, type KeyClaim, type KeyState } from './state.js';
