import type { CallContext, EventName } from '@rollcall/contracts';
import {
  approveImport,
  cancelImport,
  type DecideHold,
  type HoldRejection,
  pendingOf,
  rejectImport,
  payloadStream,
  retryImport,
  type CompanyState,
  type ImportStatus,
  type RetryRejection,
  type KnownImport,
} from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { onCompany } from '../companies/company-state-cache.js';
import type { StateStore } from '../event-store/load-state.js';
import { eventAt } from '../event-store/log-reading.js';
import { decideAndAppend, type DecideAndAppendDeps, decideStep } from '../event-store/decide-and-append.js';
import type { Position, EventReader, StreamAdmin } from '../ports/event-log.js';
import { copyPayload } from './payloads.js';
import { apiCallsCollection } from '../read-models/documents.js';
import { isCommandOnImport, operationOf } from './terminal-events.js';
import { loadEvent, storedMetadata } from '../event-store/loaded-event.js';
import type { ReadModelReader } from '../ports/read-models.js';

const companyPrefix = 'company-';

const statuses: { readonly [N in EventName]?: ImportStatus } = {
  ImportQueued: 'pending',
  EmployeeSetReplaced: 'done',
  EmployeeSetConfirmed: 'done',
  ManagerRolesImported: 'done',
  ManagerRolesConfirmed: 'done',
  ImportFailed: 'failed',
  ImportCancelled: 'cancelled',
  ImportRejected: 'rejected',
};

interface FindCompanyDeps {
  readonly log: EventReader & StreamAdmin;
  readonly readModels: Pick<ReadModelReader, 'getMany'>;
}

export async function companyOfOperation(
  { log, readModels }: FindCompanyDeps,
  operationId: string,
): Promise<number | undefined> {
  for (const stream of [payloadStream(operationId), `operation-${operationId}`]) {
    const first = await eventAt(log, stream);
    if (first !== undefined) return storedMetadata(first).companyId ?? undefined;
  }
  // An import that was carried out at once, or whose payload is deleted, has left only its row.
  const companies = await companyIds(log);
  const known = await readModels.getMany(
    apiCallsCollection,
    companies.map((companyId) => [companyId, operationId] as const),
    (row) => row !== undefined,
  );
  return companies.find((_, index) => known[index]);
}

/** All companies with a stream, by rising id. */
export async function companyIds(log: StreamAdmin): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const { stream } of log.listStreams(companyPrefix))
    ids.push(Number(stream.slice(companyPrefix.length)));
  return ids.sort((one, other) => one - other);
}

/** Undefined where the import was never queued. */
export async function knownImport(
  log: EventReader,
  companyId: number,
  operationId: string,
): Promise<KnownImport | undefined> {
  let status: ImportStatus = 'pending';
  for await (const recorded of log.readStream(`${companyPrefix}${companyId}`, { backwards: true })) {
    const event = loadEvent(log, recorded);
    const of = isCommandOnImport(event.name) ? operationOf(recorded.data) : event.metadata.operationId;
    if (of !== operationId) continue;
    if (event.name === 'ImportQueued')
      return { queued: await event.data('ImportQueued'), revision: event.revision, status };
    status = statuses[event.name] ?? status;
  }
  return undefined;
}

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
    ...onCompany(deps, companyId),
    context,
    decide: (state) => cancelImport({ operationId }, state),
  });
  if (outcome.kind === 'appended') return { kind: 'cancelled', position: outcome.position };
  const known = await knownImport(deps.log, companyId, operationId);
  if (known === undefined) return { kind: 'refused', rejection: { reason: 'never-queued' } };
  return { kind: 'refused', rejection: { reason: 'not-pending', status: known.status } };
}

export type HoldOutcome =
  | { readonly kind: 'decided'; readonly position: Position; readonly isOutdated: boolean }
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
    ...onCompany(deps, companyId),
    context,
    decide: (state) => decide(command, state),
  });
  if (outcome.kind === 'appended') {
    const isOutdated = pendingOf(outcome.loaded.state, command.operationId)?.hold?.isOutdated === true;
    return { kind: 'decided', position: outcome.position, isOutdated };
  }
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
    ...onCompany(deps, companyId),
    context,
    decide: (state) => ({
      ...retryImport(command, state),
      beforeAppend: () =>
        copyPayload(deps, { context, stream: payloadStream(context.operationId) }, known.queued.payload),
      removeUnused: () => deps.log.deleteStream(payloadStream(context.operationId)),
    }),
  });
  if (outcome.kind === 'appended') {
    return { kind: 'queued', operationId: context.operationId, position: outcome.position };
  }
  if (outcome.kind === 'nothing') throw new Error('a retry comes to an event or to a refusal');
  return { kind: 'refused', rejection: outcome.rejection };
}
