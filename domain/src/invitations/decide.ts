import type { DomainEventOf } from '@rollcall/contracts';
import type { CancelInvitation, ClaimInvitation, ResendInvitation } from './commands.js';
import type { InvitationRejection } from './rejections.js';
import { type InvitationState, wakeMoment } from './state.js';

/** How long nobody else may send it. */
const claimDurationMs = 10 * 60_000;

export const isoMoment = (ms: number): string => new Date(ms).toISOString();

export type ClaimObstacle =
  'not-planned' | 'sent' | 'failed' | 'cancelled' | 'left' | 'claimed' | 'held' | 'not-due';

export type ClaimDecision =
  | { readonly kind: 'claim'; readonly events: readonly [DomainEventOf<'InvitationSending'>] }
  /** It had begun, and the employee has left. */
  | { readonly kind: 'cancel'; readonly events: readonly [DomainEventOf<'InvitationCancelled'>] }
  | { readonly kind: 'nothing'; readonly reason: ClaimObstacle };

/** A claim holds until `until`; a later one keeps the Message-ID. Who left gets no event unless the invitation had begun. */
export function decideClaim(command: ClaimInvitation, state: InvitationState): ClaimDecision {
  const dueAt = wakeMoment(state, command.plannedDueAt);
  if (dueAt === null) return nothing(endOf(state));
  const isDue = Date.parse(dueAt) <= command.now;
  if (state.status === 'sending' && !isDue) return nothing('claimed');
  if (!command.present) return afterLeaving(state, dueAt);
  if (command.held) return nothing('held');
  return isDue ? claim(command, state, dueAt) : nothing('not-due');
}

const nothing = (reason: ClaimObstacle): ClaimDecision => ({ kind: 'nothing', reason });

const endOf = ({ status }: InvitationState): ClaimObstacle =>
  status === 'sent' || status === 'failed' || status === 'cancelled' ? status : 'not-planned';

function afterLeaving(state: InvitationState, dueAt: string): ClaimDecision {
  if (state.status === 'planned') return nothing('left');
  const data = { dueAt, reason: 'The employee has left' };
  return { kind: 'cancel', events: [{ name: 'InvitationCancelled', data }] };
}

const unclaimed = { round: 1, attempt: 0, messageId: null, startedAt: null };

function claim(command: ClaimInvitation, state: InvitationState, dueAt: string): ClaimDecision {
  const { round, attempt, messageId, startedAt } = state.status === 'planned' ? unclaimed : state;
  const data = {
    dueAt,
    until: isoMoment(command.now + claimDurationMs),
    attempt: attempt + 1,
    messageId: messageId ?? command.messageId(round),
    startedAt: startedAt ?? isoMoment(command.now),
  };
  return { kind: 'claim', events: [{ name: 'InvitationSending', data }] };
}

export type ResendDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'InvitationRequested'>] }
  | { readonly kind: 'refused'; readonly rejection: InvitationRejection }
  /** Already requested. */
  | { readonly kind: 'nothing' };

/** Due now, in a new round with a new Message-ID. */
export function resend(command: ResendInvitation, state: InvitationState): ResendDecision {
  const { plannedDueAt, present, now, reason } = command;
  if (!present) return { kind: 'refused', rejection: { reason: 'left' } };
  const replaces = wakeMoment(state, plannedDueAt);
  if (state.status === 'requested') return { kind: 'nothing' };
  if (isClaimed(state, now)) return { kind: 'refused', rejection: { reason: 'sending', until: state.dueAt } };
  const data = { dueAt: isoMoment(now), replaces, reason };
  return { kind: 'events', events: [{ name: 'InvitationRequested', data }] };
}

export type CancelInvitationDecision =
  | { readonly kind: 'events'; readonly events: readonly [DomainEventOf<'InvitationCancelled'>] }
  | { readonly kind: 'refused'; readonly rejection: InvitationRejection }
  /** Already cancelled. */
  | { readonly kind: 'nothing' };

/** Only while it is unsent, and no worker is sending it. */
export function cancel(command: CancelInvitation, state: InvitationState): CancelInvitationDecision {
  const { plannedDueAt, now, reason } = command;
  const dueAt = wakeMoment(state, plannedDueAt);
  if (dueAt === null) return withoutWake(state);
  if (isClaimed(state, now)) return { kind: 'refused', rejection: { reason: 'sending', until: state.dueAt } };
  return { kind: 'events', events: [{ name: 'InvitationCancelled', data: { dueAt, reason } }] };
}

function withoutWake({ status }: InvitationState): CancelInvitationDecision {
  if (status === 'cancelled') return { kind: 'nothing' };
  const ended = status === 'sent' || status === 'failed';
  return { kind: 'refused', rejection: ended ? { reason: 'ended', status } : { reason: 'not-planned' } };
}

const isClaimed = (
  state: InvitationState,
  now: number,
): state is Extract<InvitationState, { readonly status: 'sending' }> =>
  state.status === 'sending' && Date.parse(state.dueAt) > now;
