import type { DomainEventOf } from '@rollcall/contracts';
import { type CompanyState, pendingOf } from './company-state.js';

/** A person takes an import out of its company's queue. */
export interface CancelImport {
  readonly operationId: string;
}

export type CancelDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'ImportCancelled'>] }
  | { readonly kind: 'refused'; readonly rejection: { readonly reason: 'not-pending' } };

/** Only what is pending can be cancelled; a worker that runs it at the moment finds at its end that it came too late. */
export function cancelImport({ operationId }: CancelImport, state: CompanyState): CancelDecision {
  const pending = pendingOf(state, operationId);
  if (!pending) return { kind: 'refused', rejection: { reason: 'not-pending' } };
  const { kind } = pending;
  return { kind: 'events', events: [{ name: 'ImportCancelled', data: { operationId, kind } }] };
}
