import type { CallContext } from '@rollcall/contracts';
import {
  approveImport,
  cancelImport,
  type DecideHold,
  type HoldRejection,
  rejectImport,
  payloadStream,
  retryImport,
  type CompanyState,
  type ImportStatus,
  type RetryRejection,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { companyFold } from '../companies/company-state-cache.js';
import type { StateStore } from '../event-store/load-state.js';
import { decideAndAppend, type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import type { Position } from '../ports/event-log.js';
import { knownImport } from './known-imports.js';
import { copyPayload } from './payloads.js';

export interface ManageImportsDeps extends DecideAndAppendDeps {
  readonly digester: Digester;
  readonly states: StateStore<CompanyState>;
}

interface ManagedImport {
  readonly companyId: number;
  readonly operationId: string;
}

/** The company has no such import, or it was carried out or refused at once. */
type NeverQueued = { readonly reason: 'never-queued' };

export type CancelOutcome =
  | { readonly kind: 'cancelled'; readonly position: Position }
  | {
      readonly kind: 'refused';
      readonly rejection: NeverQueued | { readonly reason: 'not-pending'; readonly status: ImportStatus };
    };

/** `context` is the command's own: its operation, and the reason. */
export async function cancelQueuedImport(
  deps: ManageImportsDeps,
  context: CallContext,
  { companyId, operationId }: ManagedImport,
): Promise<CancelOutcome> {
  const outcome = await decideAndAppend(deps, {
    stream: `company-${companyId}`,
    context,
    fold: companyFold(deps.digester),
    store: deps.states,
    decide: (state) => cancelImport({ operationId }, state),
  });
  if (outcome.kind === 'appended') return { kind: 'cancelled', position: outcome.position };
  const known = await knownImport(deps.log, companyId, operationId);
  if (known === undefined) return { kind: 'refused', rejection: { reason: 'never-queued' } };
  return { kind: 'refused', rejection: { reason: 'not-pending', status: known.status } };
}

export type HoldOutcome =
  | { readonly kind: 'decided'; readonly position: Position }
  | { readonly kind: 'refused'; readonly rejection: HoldRejection };

interface HeldImportCommand extends ManagedImport, DecideHold {
  readonly decision: 'approve' | 'reject';
}

/** Decides on a held import. `context` is the command's own: its operation, who, and the reason. */
export async function decideHeldImport(
  deps: ManageImportsDeps,
  context: CallContext,
  { companyId, decision, ...command }: HeldImportCommand,
): Promise<HoldOutcome> {
  const decide = { approve: approveImport, reject: rejectImport }[decision];
  const outcome = await decideAndAppend(deps, {
    stream: `company-${companyId}`,
    context,
    fold: companyFold(deps.digester),
    store: deps.states,
    decide: (state: CompanyState) => decide(command, state),
  });
  if (outcome.kind === 'appended') return { kind: 'decided', position: outcome.position };
  if (outcome.kind === 'nothing') throw new Error('a decision comes to an event or to a refusal');
  return { kind: 'refused', rejection: outcome.rejection };
}

export type RetryOutcome =
  | { readonly kind: 'queued'; readonly operationId: string; readonly position: Position }
  | { readonly kind: 'refused'; readonly rejection: NeverQueued | RetryRejection };

/** Queues a copy of the body as the operation of `context`. `PayloadCorrupt` where the body has changed. */
export async function retryQueuedImport(
  deps: ManageImportsDeps,
  context: CallContext,
  { companyId, operationId, force }: ManagedImport & { readonly force: boolean },
): Promise<RetryOutcome> {
  const known = await knownImport(deps.log, companyId, operationId);
  if (known === undefined) return { kind: 'refused', rejection: { reason: 'never-queued' } };
  const hasPayload = (await deps.log.readLast(known.queued.payload.stream)) !== undefined;
  const command = { import: known, hasPayload, operationId: context.operationId, force };
  const outcome = await decideStep<CompanyState, RetryRejection>(deps, {
    stream: `company-${companyId}`,
    context,
    fold: companyFold(deps.digester),
    store: deps.states,
    decide: (state) => {
      const decision = retryImport(command, state);
      if (decision.kind === 'refused') return decision;
      return {
        ...decision,
        beforeAppend: () =>
          copyPayload(deps, { context, stream: payloadStream(context.operationId) }, known.queued.payload),
        removeUnused: () => deps.log.deleteStream(payloadStream(context.operationId)),
      };
    },
  });
  if (outcome.kind === 'appended') {
    return { kind: 'queued', operationId: context.operationId, position: outcome.position };
  }
  if (outcome.kind === 'nothing') throw new Error('a retry comes to an event or to a refusal');
  return { kind: 'refused', rejection: outcome.rejection };
}
