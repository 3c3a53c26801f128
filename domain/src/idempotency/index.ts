export { decide, keyHash } from './decide.js';
export { evolve, type KeyEvent, claimInForce, initialState, type KeyClaim, type KeyState } from './evolve.js';
