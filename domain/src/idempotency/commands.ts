import type { IdempotencyKeyClaimed, IdempotencyKeySettled } from '@rollcall/contracts';

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
