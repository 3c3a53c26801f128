import type { DomainEventOf } from '@rollcall/contracts';
import { type CompanyState, isHeld, pendingOf } from './company-state.js';
import type { Hold, PendingImport } from './pending.js';

/** A held import is cancelled after this long without a decision (docs/contract, "Batch limit"). */
const holdMs = 7 * 24 * 3_600_000;

/** When a hold ends by itself, ms since the epoch. */
export const holdEnds = ({ since }: Pick<Hold, 'since'>): number => Date.parse(since) + holdMs;

export type HoldRejection =
  | { readonly reason: 'not-held' }
  /** It was held anew, and comes to another change than the one that was shown. */
  | { readonly reason: 'other-outcome' };

type HoldDecision<E extends 'ImportApproved' | 'ImportRejected'> =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<E>] }
  | { readonly kind: 'refused'; readonly rejection: HoldRejection };

export interface DecideHold {
  readonly operationId: string;
  /** The outcome that was shown to the one who decides; undefined: the newest one. */
  readonly outcome?: string | undefined;
}

const notHeld = { kind: 'refused', rejection: { reason: 'not-held' } } as const;

interface HeldImport extends PendingImport {
  readonly hold: Hold;
}

const isHeldImport = (pending: PendingImport | undefined): pending is HeldImport =>
  pending !== undefined && isHeld(pending);

/** Exactly what was held may be carried out. */
export function approveImport(
  { operationId, outcome }: DecideHold,
  state: CompanyState,
): HoldDecision<'ImportApproved'> {
  const pending = pendingOf(state, operationId);
  if (!isHeldImport(pending)) return notHeld;
  const { held } = pending.hold;
  if (outcome !== undefined && outcome !== held.outcome)
    return { kind: 'refused', rejection: { reason: 'other-outcome' } };
  const data = { operationId, kind: pending.kind, outcome: held.outcome };
  return { kind: 'events', events: [{ name: 'ImportApproved', data }] };
}

export function rejectImport(
  { operationId }: DecideHold,
  state: CompanyState,
): HoldDecision<'ImportRejected'> {
  const pending = pendingOf(state, operationId);
  if (!isHeldImport(pending)) return notHeld;
  return { kind: 'events', events: [{ name: 'ImportRejected', data: { operationId, kind: pending.kind } }] };
}
