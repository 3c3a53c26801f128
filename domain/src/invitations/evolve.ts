import type {
  DomainEventOf,
  InvitationRequested,
  InvitationSending,
  InvitationSent,
} from '@rollcall/contracts';
import type { InvitationProgress, InvitationState } from './state.js';

export type InvitationEvent = DomainEventOf<
  | 'InvitationRequested'
  | 'InvitationSending'
  | 'InvitationSent'
  | 'InvitationDeferred'
  | 'InvitationFailed'
  | 'InvitationCancelled'
>;

const untouched = { round: 1, attempt: 0, messageId: null, startedAt: null, sent: [] } as const;

const before = (state: InvitationState, dueAt: string): InvitationProgress =>
  state.status === 'planned' ? { status: 'requested', ...untouched, dueAt } : state;

function requested(state: InvitationState, { dueAt }: InvitationRequested): InvitationState {
  const { round, sent } = before(state, dueAt);
  return { status: 'requested', ...untouched, round: round + 1, sent, dueAt };
}

function sending(state: InvitationState, claim: InvitationSending): InvitationState {
  const { until, attempt, messageId, startedAt } = claim;
  return {
    ...before(state, claim.dueAt),
    status: 'sending',
    attempt,
    messageId,
    startedAt,
    dueAt: until,
  };
}

function sent(state: InvitationState, { dueAt, messageId }: InvitationSent): InvitationState {
  const known = before(state, dueAt);
  return { ...known, status: 'sent', dueAt, sent: [...known.sent, messageId] };
}

export function evolve(state: InvitationState, event: InvitationEvent): InvitationState {
  switch (event.name) {
    case 'InvitationRequested':
      return requested(state, event.data);
    case 'InvitationSending':
      return sending(state, event.data);
    case 'InvitationSent':
      return sent(state, event.data);
    case 'InvitationDeferred': {
      const { dueAt, nextAttemptAt } = event.data;
      return { ...before(state, dueAt), status: 'deferred', dueAt: nextAttemptAt };
    }
    case 'InvitationFailed':
      return { ...before(state, event.data.dueAt), status: 'failed', dueAt: event.data.dueAt };
    case 'InvitationCancelled':
      return { ...before(state, event.data.dueAt), status: 'cancelled', dueAt: event.data.dueAt };
    default:
      return event satisfies never;
  }
}
