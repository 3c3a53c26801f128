import type { DomainEventOf, IdempotencyKeySettled } from '@rollcall/contracts';
import type { KeyState } from './state.js';

export type KeyEvent = DomainEventOf<'IdempotencyKeyClaimed' | 'IdempotencyKeySettled'>;

/** `recordedAt` of the event: a key is kept for a time. */
export function evolve(state: KeyState, event: KeyEvent, recordedAt: string): KeyState {
  switch (event.name) {
    case 'IdempotencyKeyClaimed':
      return { status: 'claimed', claim: { ...event.data, at: recordedAt } };
    case 'IdempotencyKeySettled':
      return settled(state, event.data);
    default:
      return event satisfies never;
  }
}

function settled(state: KeyState, { operationId, outcome }: IdempotencyKeySettled): KeyState {
  if (state.status === 'unclaimed' || state.claim.operationId !== operationId) return state;
  return { ...state, status: outcome };
}
