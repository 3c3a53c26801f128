import type { DomainEventOf, ImportQueued } from '@rollcall/contracts';
import { type CompanyState, pendingOf, isHeld } from './company-state.js';
import { integrationSettings } from './accept.js';
import type { Hold, PendingImport } from './pending.js';
import type { Events, Refused } from '../decision.js';

export type CancelDecision =
  Events<readonly [DomainEventOf<'ImportCancelled'>]> | Refused<{ readonly reason: 'not-pending' }>;

/** Cancels a pending import; a worker that runs it notices at its end. */
export function cancelImport(
  { operationId }: Pick<PendingImport, 'operationId'>,
  state: CompanyState,
): CancelDecision {
  const pending = pendingOf(state, operationId);
  if (!pending) return { kind: 'refused', rejection: { reason: 'not-pending' } };
  const { kind } = pending;
  return { kind: 'events', events: [{ name: 'ImportCancelled', data: { operationId, kind } }] };
}

export type ImportStatus = 'pending' | 'done' | 'failed' | 'cancelled' | 'rejected';

/** A queued import by the company's stream. */
export interface KnownImport {
  readonly queued: ImportQueued;
  /** Of its `ImportQueued`. */
  readonly revision: number;
  readonly status: ImportStatus;
}

interface RetryImport {
  readonly import: KnownImport;
  readonly hasPayload: boolean;
  /** The new import's. */
  readonly operationId: string;
  readonly force: boolean;
}

export type RetryRejection =
  | { readonly reason: 'not-ended-badly'; readonly status: 'pending' | 'done' }
  | { readonly reason: 'payload-gone' }
  | { readonly reason: 'integration-not-allowed' }
  /** A newer import was accepted, at this revision: a retry would restore an older set. */
  | { readonly reason: 'newer-accepted'; readonly revision: number }
  /** It required another set revision, and would fail again. */
  | { readonly reason: 'set-changed'; readonly ifMatch: number | null; readonly current: number | null };

export type RetryDecision = Events<readonly [DomainEventOf<'ImportQueued'>]> | Refused<RetryRejection>;

export const payloadStream = (operationId: string): string => `payload-${operationId}`;

/** Queues a failed, cancelled or rejected import again, as a new one with its own copy of the body. */
export function retryImport(command: RetryImport, state: CompanyState): RetryDecision {
  const rejection = rejectionOf(command, state);
  if (rejection) return { kind: 'refused', rejection };
  const { queued } = command.import;
  const { operationId, force } = command;
  const data: ImportQueued = {
    ...queued,
    operationId,
    payload: { ...queued.payload, stream: payloadStream(operationId) },
    ifMatch: force ? null : queued.ifMatch,
    preview: force ? null : queued.preview,
    retryOf: queued.operationId,
  };
  return { kind: 'events', events: [{ name: 'ImportQueued', data }] };
}

function rejectionOf(command: RetryImport, state: CompanyState): RetryRejection | undefined {
  const { status } = command.import;
  if (status === 'pending' || status === 'done') return { reason: 'not-ended-badly', status };
  if (!command.hasPayload) return { reason: 'payload-gone' };
  if (!integrationSettings(state)) return { reason: 'integration-not-allowed' };
  return command.force ? undefined : outdated(command.import, state);
}

function outdated({ queued, revision }: KnownImport, state: CompanyState): RetryRejection | undefined {
  const { kind, preview } = queued;
  const accepted = state.accepted[kind];
  if (accepted !== null && accepted > revision) return { reason: 'newer-accepted', revision: accepted };
  const current = state.revisions[kind];
  const ifMatch = preview ? preview.revision : (queued.ifMatch ?? current);
  return ifMatch === current ? undefined : { reason: 'set-changed', ifMatch, current };
}

/** A held import is cancelled after this long without a decision (docs/contract, "Batch limit"). */
const holdMs = 7 * 24 * 3_600_000;

/** When a hold ends by itself, ms since the epoch. */
export const holdEnds = ({ since }: Pick<Hold, 'since'>): number => Date.parse(since) + holdMs;

export type HoldRejection =
  | { readonly reason: 'not-held' }
  /** It was held anew, and comes to another change than the one that was shown. */
  | { readonly reason: 'other-outcome' };

type HoldDecision<E extends 'ImportApproved' | 'ImportRejected'> =
  Events<readonly [DomainEventOf<E>]> | Refused<HoldRejection>;

export interface DecideHold {
  readonly operationId: string;
  /** The outcome that was shown to the one who decides; undefined: the newest one. */
  readonly outcome?: string | undefined;
}

const notHeld = { kind: 'refused', rejection: { reason: 'not-held' } } as const;

const isHeldImport = (
  pending: PendingImport | undefined,
): pending is PendingImport & { readonly hold: Hold } => pending !== undefined && isHeld(pending);

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
