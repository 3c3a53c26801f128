import type { DomainEventOf, IdempotencyKeySettled, IdempotencyKeyClaimed } from '@rollcall/contracts';

export interface KeyClaim extends IdempotencyKeyClaimed {
  /** `recordedAt` of the claim, ISO 8601 UTC; the key is kept for 24 hours. */
  readonly at: string;
}

/** Of `key-{keyHash}`. A claim without an outcome is in progress, or ended by a crash. */
export type KeyState =
  | { readonly status: 'unclaimed' }
  | { readonly status: 'claimed' | 'done' | 'refused'; readonly claim: KeyClaim };

export const initialState = (): KeyState => ({ status: 'unclaimed' });

const keptMs = 24 * 60 * 60 * 1000;

/** Undefined where the key is free: after a refusal, or 24 hours. */
export function claimInForce(state: KeyState, now: number): KeyClaim | undefined {
  if (state.status === 'unclaimed' || state.status === 'refused') return undefined;
  return now - Date.parse(state.claim.at) < keptMs ? state.claim : undefined;
}

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
