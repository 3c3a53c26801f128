import type { DomainEventOf, ImportQueued } from '@rollcall/contracts';
import { integrationSettings } from './accept.js';
import type { CompanyState } from './company-state.js';

export type ImportStatus = 'pending' | 'done' | 'failed' | 'cancelled' | 'rejected';

/** A queued import by the company's stream. */
export interface KnownImport {
  readonly queued: ImportQueued;
  /** Of its `ImportQueued`. */
  readonly revision: number;
  readonly status: ImportStatus;
}

export interface RetryImport {
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
  | { readonly reason: 'set-changed'; readonly ifMatch: number; readonly current: number | null };

export type RetryDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'ImportQueued'>] }
  | { readonly kind: 'refused'; readonly rejection: RetryRejection };

export const payloadStream = (operationId: string): string => `payload-${operationId}`;

/** Queues a failed or cancelled import again, as a new one with its own copy of the body. */
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
  const ifMatch = queued.ifMatch ?? preview?.revision ?? null;
  const accepted = state.accepted[kind];
  if (accepted !== null && accepted > revision) return { reason: 'newer-accepted', revision: accepted };
  const current = state.revisions[kind];
  return ifMatch === null || ifMatch === current ? undefined : { reason: 'set-changed', ifMatch, current };
}
