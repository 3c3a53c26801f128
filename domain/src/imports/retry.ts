import type { DomainEventOf, ImportQueued } from '@rollcall/contracts';
import { integrationSettings } from './accept.js';
import type { CompanyState } from './company-state.js';

/** Where a queued import stands. */
export type ImportStatus = 'pending' | 'done' | 'failed' | 'cancelled';

/** A queued import as the company's stream tells of it. */
export interface KnownImport {
  readonly queued: ImportQueued;
  /** Of its `ImportQueued`. */
  readonly revision: number;
  readonly status: ImportStatus;
}

/** A person has an import tried again: a new one at the end of the queue, with the same body. */
export interface RetryImport {
  readonly import: KnownImport;
  /** Whether its body is still there. */
  readonly hasPayload: boolean;
  /** The new import's. */
  readonly operationId: string;
  /** Also where a newer set was accepted since, and whatever the set's revision is. */
  readonly force: boolean;
}

export type RetryRejection =
  | { readonly reason: 'not-ended-badly'; readonly status: 'pending' | 'done' }
  | { readonly reason: 'payload-gone' }
  | { readonly reason: 'integration-not-allowed' }
  /** Trying again would put an older set in the place of a newer one: accepted at this revision of the company's stream. */
  | { readonly reason: 'newer-accepted'; readonly revision: number }
  /** The import was for a set of another revision, and would fail again. */
  | { readonly reason: 'set-changed'; readonly ifMatch: number; readonly current: number | null };

export type RetryDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'ImportQueued'>] }
  | { readonly kind: 'refused'; readonly rejection: RetryRejection };

/** Where the body of a queued import lies. */
export const payloadStream = (operationId: string): string => `payload-${operationId}`;

/** Only what failed or was cancelled is tried again. The new import has its own copy of the body. */
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
  const { kind, ifMatch } = queued;
  const accepted = state.accepted[kind];
  if (accepted !== null && accepted > revision) return { reason: 'newer-accepted', revision: accepted };
  const current = state.revisions[kind];
  return ifMatch === null || ifMatch === current ? undefined : { reason: 'set-changed', ifMatch, current };
}
