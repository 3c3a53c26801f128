import type { IdempotencyKeyClaimed, IdempotencyKeySettled } from '@rollcall/contracts';

/** A call with the key begins. */
export interface ClaimKey extends IdempotencyKeyClaimed {
  readonly kind: 'claim';
  /** When the call came in, milliseconds since 1970. */
  readonly now: number;
}

/** The claimed call has ended. */
export interface SettleKey extends IdempotencyKeySettled {
  readonly kind: 'settle';
}

export type KeyCommand = ClaimKey | SettleKey;

/** The same key with another body, within its 24 hours. */
export interface KeyRejection {
  readonly kind: 'key-reused';
}
