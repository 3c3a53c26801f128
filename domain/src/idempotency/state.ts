import type { IdempotencyKeyClaimed } from '@rollcall/contracts';

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
