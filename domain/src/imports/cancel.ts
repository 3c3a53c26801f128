import type { DomainEventOf } from '@rollcall/contracts';
import { type CompanyState, pendingOf } from './company-state.js';

export interface CancelImport {
  readonly operationId: string;
}

export type CancelDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'ImportCancelled'>] }
  | { readonly kind: 'refused'; readonly rejection: { readonly reason: 'not-pending' } };

/** Cancels a pending import; a worker that runs it notices at its end. */
export function cancelImport({ operationId }: CancelImport, state: CompanyState): CancelDecision {
  const pending = pendingOf(state, operationId);
  if (!pending) return { kind: 'refused', rejection: { reason: 'not-pending' } };
  const { kind } = pending;
  return { kind: 'events', events: [{ name: 'ImportCancelled', data: { operationId, kind } }] };
}
