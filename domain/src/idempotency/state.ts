import type { IdempotencyKeyClaimed } from '@rollcall/contracts';

/** Who has the key. */
export interface KeyClaim extends IdempotencyKeyClaimed {
  /** `recordedAt` of the claim, ISO 8601 UTC: from then on the key is kept for 24 hours. */
  readonly at: string;
}

/** State of a stream `key-{keyHash}`. A claim without an end belongs to a call under way, or to one that a crash ended. */
export type KeyState =
  | { readonly status: 'unclaimed' }
  | { readonly status: 'claimed' | 'done' | 'refused'; readonly claim: KeyClaim };

export const initialState = (): KeyState => ({ status: 'unclaimed' });

const keptMs = 24 * 60 * 60 * 1000;

/** The claim that a call has to respect; undefined where the key is free. A refusal frees it, and so do 24 hours. */
export function claimInForce(state: KeyState, now: number): KeyClaim | undefined {
  if (state.status === 'unclaimed' || state.status === 'refused') return undefined;
  return now - Date.parse(state.claim.at) < keptMs ? state.claim : undefined;
}
