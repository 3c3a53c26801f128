import type { ClaimKey, KeyCommand, KeyRejection, SettleKey } from './commands.js';
import type { KeyEvent } from './evolve.js';
import { claimInForce, type KeyState } from './state.js';

export type KeyDecision =
  | { readonly kind: 'events'; readonly events: readonly KeyEvent[] }
  | { readonly kind: 'refused'; readonly rejection: KeyRejection }
  | { readonly kind: 'nothing' };

/** Claiming again with the same body does nothing: the claimant continues the operation in force. */
export function decide(command: KeyCommand, state: KeyState): KeyDecision {
  switch (command.kind) {
    case 'claim':
      return claim(command, state);
    case 'settle':
      return settle(command, state);
    default:
      return command satisfies never;
  }
}

function claim({ operationId, bodySha256, reserved, now }: ClaimKey, state: KeyState): KeyDecision {
  const inForce = claimInForce(state, now);
  if (inForce === undefined) {
    const data = { operationId, bodySha256, reserved };
    return { kind: 'events', events: [{ name: 'IdempotencyKeyClaimed', data }] };
  }
  return inForce.bodySha256 === bodySha256
    ? { kind: 'nothing' }
    : { kind: 'refused', rejection: { kind: 'key-reused' } };
}

/** A success stays, even where the call was refused elsewhere; the outcome of an older claim is ignored. */
function settle({ operationId, outcome }: SettleKey, state: KeyState): KeyDecision {
  if (state.status === 'unclaimed' || state.claim.operationId !== operationId) return { kind: 'nothing' };
  if (state.status === 'done' || state.status === outcome) return { kind: 'nothing' };
  return { kind: 'events', events: [{ name: 'IdempotencyKeySettled', data: { operationId, outcome } }] };
}
