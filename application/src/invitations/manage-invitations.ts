import type { CallContext } from '@rollcall/contracts';
import { type CompanyState, invitations } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';
import { companyFold, type CompanyStateCache } from '../companies/company-state-cache.js';
import { decideAndAppend, type DecideAndAppendDeps, type Outcome } from '../event-store/decide-and-append.js';
import { loadState } from '../event-store/load-state.js';
import type { Position } from '../ports/event-log.js';
import type { ReadModelReader } from '../ports/read-models.js';
import { invitationFold } from './invitation-log.js';
import { readPlannedDue } from './read-invitations.js';

export interface ManageInvitationsDeps extends DecideAndAppendDeps {
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

const companyStream = (companyId: number): string => `company-${companyId}`;

export async function holdInvitations(
  deps: ManageInvitationsDeps,
  context: CallContext,
  command: { readonly companyId: number; readonly held: boolean; readonly reason: string | null },
): Promise<ManagedInvitations<{ readonly reason: 'company-unknown' }>> {
  const { companyId, held, reason } = command;
  const decide = held ? invitations.hold : invitations.release;
  return managed(
    await decideAndAppend<CompanyState, { readonly reason: 'company-unknown' }>(deps, {
      stream: companyStream(companyId),
      context,
      fold: companyFold(deps.digester),
      store: deps.states,
      decide: (state) => decide({ reason }, state),
    }),
  );
}

/** Makes an invitation due now, whatever its history. The log says whether the employee is present. */
export async function resendInvitation(
  deps: ManageInvitationsDeps,
  context: CallContext,
  { companyId, number, reason }: ManagedInvitation,
): Promise<ManagedInvitations<invitations.InvitationRejection>> {
  const present = await isPresent(deps, companyId, number);
  const plannedDueAt = await plannedMoment(deps, companyId, number);
  const command = { plannedDueAt, present, now: deps.clock.now(), reason };
  return onInvitation(deps, context, {
    stream: invitations.invitationStream(companyId, number),
    decide: (state) => invitations.resend(command, state),
  });
}

export async function cancelInvitation(
  deps: ManageInvitationsDeps,
  context: CallContext,
  { companyId, number, reason }: ManagedInvitation,
): Promise<ManagedInvitations<invitations.InvitationRejection>> {
  const plannedDueAt = await plannedMoment(deps, companyId, number);
  const command = { plannedDueAt, now: deps.clock.now(), reason };
  return onInvitation(deps, context, {
    stream: invitations.invitationStream(companyId, number),
    decide: (state) => invitations.cancel(command, state),
  });
}

interface OnInvitation {
  readonly stream: string;
  readonly decide: (
    state: invitations.InvitationState,
  ) => invitations.ResendDecision | invitations.CancelInvitationDecision;
}

async function onInvitation(
  deps: ManageInvitationsDeps,
  context: CallContext,
  { stream, decide }: OnInvitation,
): Promise<ManagedInvitations<invitations.InvitationRejection>> {
  return managed(
    await decideAndAppend<invitations.InvitationState, invitations.InvitationRejection>(deps, {
      stream,
      context,
      fold: invitationFold,
      decide,
    }),
  );
}

function managed<S, R>(outcome: Outcome<S, R>): ManagedInvitations<R> {
  if (outcome.kind === 'refused') return { kind: 'refused', rejection: outcome.rejection };
  if (outcome.kind === 'nothing') return { kind: 'done', changed: false, position: undefined };
  return { kind: 'done', changed: true, position: outcome.position };
}

async function isPresent(
  { log, states, digester }: ManageInvitationsDeps,
  companyId: number,
  number: number,
): Promise<boolean> {
  const stream = companyStream(companyId);
  const { state } = await loadState({ log, stream, fold: companyFold(digester), store: states });
  const { numbers, count } = state.employees;
  return numbers.subarray(0, count).includes(number);
}

const plannedMoment = async (
  { readModels }: ManageInvitationsDeps,
  companyId: number,
  number: number,
): Promise<string | null> => (await readPlannedDue(readModels, companyId, number)) ?? null;
