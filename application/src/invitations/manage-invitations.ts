import type { CallContext } from '@rollcall/contracts';
import { type CompanyState, invitations } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { onCompany, type CompanyStateCache } from '../companies/company-state-cache.js';
import { decideAndAppend, type DecideAndAppendDeps, type Outcome } from '../event-store/decide-and-append.js';
import { loadState } from '../event-store/load-state.js';
import type { Position } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { invitationFold } from './invitation-log.js';
import { readPlannedDues } from '../read-models/invitation-plans.js';

interface ManageInvitationsDeps extends DecideAndAppendDeps {
  readonly digester: Digester;
  readonly states: CompanyStateCache;
  readonly readModels: Pick<ReadModelReader, 'find'>;
}

/** `changed` is false where nothing had to change. */
type ManagedInvitations<R> =
  | { readonly kind: 'done'; readonly changed: boolean; readonly position: Position | undefined }
  | { readonly kind: 'refused'; readonly rejection: R };

interface ManagedInvitation {
  readonly companyId: number;
  readonly number: number;
  readonly reason: string | null;
}

export async function holdInvitations(
  deps: ManageInvitationsDeps,
  context: CallContext,
  command: { readonly companyId: number; readonly held: boolean; readonly reason: string | null },
): Promise<ManagedInvitations<{ readonly reason: 'company-unknown' }>> {
  const { companyId, held, reason } = command;
  const decide = held ? invitations.hold : invitations.release;
  return managed(
    await decideAndAppend<CompanyState, { readonly reason: 'company-unknown' }>(deps, {
      ...onCompany(deps, companyId),
      context,
      decide: (state) => decide({ reason }, state),
    }),
  );
}

/** Makes an invitation due now, whatever its history. The log says whether the employee is present. */
export async function resendInvitation(
  deps: ManageInvitationsDeps,
  context: CallContext,
  invitation: ManagedInvitation,
): Promise<ManagedInvitations<invitations.InvitationRejection>> {
  const present = await isPresent(deps, invitation);
  return onInvitation(deps, context, invitation, (command, state) =>
    invitations.resend({ ...command, present }, state),
  );
}

export const cancelInvitation = (
  deps: ManageInvitationsDeps,
  context: CallContext,
  invitation: ManagedInvitation,
): Promise<ManagedInvitations<invitations.InvitationRejection>> =>
  onInvitation(deps, context, invitation, invitations.cancel);

async function onInvitation(
  deps: ManageInvitationsDeps,
  context: CallContext,
  { companyId, number, reason }: ManagedInvitation,
  decide: (
    command: invitations.CancelInvitation,
    state: invitations.InvitationState,
  ) => invitations.ResendDecision | invitations.CancelInvitationDecision,
): Promise<ManagedInvitations<invitations.InvitationRejection>> {
  const planned = await readPlannedDues(deps.readModels, companyId, [number]);
  const command = { plannedDueAt: planned.get(number) ?? null, now: deps.clock.now(), reason };
  return managed(
    await decideAndAppend<invitations.InvitationState, invitations.InvitationRejection>(deps, {
      stream: invitations.invitationStream(companyId, number),
      context,
      fold: invitationFold,
      decide: (state) => decide(command, state),
    }),
  );
}

function managed<S, R>(outcome: Outcome<S, R>): ManagedInvitations<R> {
  if (outcome.kind === 'refused') return { kind: 'refused', rejection: outcome.rejection };
  if (outcome.kind === 'nothing') return { kind: 'done', changed: false, position: undefined };
  return { kind: 'done', changed: true, position: outcome.position };
}

async function isPresent(
  deps: ManageInvitationsDeps,
  { companyId, number }: ManagedInvitation,
): Promise<boolean> {
  const { state } = await loadState({ log: deps.log, ...onCompany(deps, companyId) });
  const { numbers, count } = state.employees;
  return numbers.subarray(0, count).includes(number);
}
