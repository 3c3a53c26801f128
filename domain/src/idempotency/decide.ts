import { type KeyEvent, claimInForce, type KeyState } from './evolve.js';
import type { IdempotencyKeyClaimed, IdempotencyKeySettled } from '@rollcall/contracts';
import { createHash } from 'node:crypto';
import type { Decision } from '../decision.js';

export interface ClaimKey extends IdempotencyKeyClaimed {
  readonly kind: 'claim';
  /** When the call came in, ms since the epoch. */
  readonly now: number;
}

export interface SettleKey extends IdempotencyKeySettled {
  readonly kind: 'settle';
}

export type KeyCommand = ClaimKey | SettleKey;

export interface KeyRejection {
  readonly kind: 'key-reused';
}

type KeyDecision = Decision<readonly KeyEvent[], KeyRejection>;

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

interface SentKey {
  readonly userId: number;
  /** As in the ApiCalls row, so that all spellings of a path are one: `PUT /v1.0/Company/7/Employee`. */
  readonly method: string;
  readonly key: string;
}

/** SHA-256, hex. Unique per user, path and key. */
export const keyHash = ({ userId, method, key }: SentKey): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, method, key]))
    .digest('hex');
