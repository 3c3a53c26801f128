import type { EventData, InvitationSending } from '@rollcall/contracts';
import type { ClaimInvitation } from './decide.js';
import { evolve, type InvitationEvent, initialState, type InvitationState } from './evolve.js';

export const due = '2026-11-23T07:00:00Z';
export const at = (time: string): number => Date.parse(`2026-11-23T${time}Z`);
export const iso = (time: string): string => `2026-11-23T${time}.000Z`;

export const given = (...history: readonly InvitationEvent[]): InvitationState =>
  history.reduce(evolve, initialState());

export const claimOf = (changes: Partial<InvitationSending> = {}): InvitationSending => ({
  dueAt: due,
  until: iso('07:10:05'),
  attempt: 1,
  messageId: 'round-1@example.com',
  startedAt: iso('07:00:05'),
  ...changes,
});

export const sending = (changes: Partial<InvitationSending> = {}): InvitationEvent => ({
  name: 'InvitationSending',
  data: claimOf(changes),
});
export const sent = (changes: Partial<EventData<'InvitationSent'>> = {}): InvitationEvent => ({
  name: 'InvitationSent',
  data: {
    dueAt: iso('07:10:05'),
    messageId: 'round-1@example.com',
    response: '250 Ok',
    sentAt: iso('07:00:06'),
    ...changes,
  },
});
export const deferred = (nextAttemptAt = iso('07:01:06')): InvitationEvent => ({
  name: 'InvitationDeferred',
  data: { dueAt: iso('07:10:05'), nextAttemptAt, code: '451', problem: 'Later' },
});
export const failed: InvitationEvent = {
  name: 'InvitationFailed',
  data: { dueAt: iso('07:10:05'), code: '550', problem: 'No such mailbox' },
};
export const cancelled: InvitationEvent = {
  name: 'InvitationCancelled',
  data: { dueAt: due, reason: null },
};
export const requested = (dueAt = iso('12:00:00'), replaces: string | null = null): InvitationEvent => ({
  name: 'InvitationRequested',
  data: { dueAt, replaces, reason: 'Again' },
});

/** A worker five seconds after the due moment, the employee present, nothing held. */
export const worker = (changes: Partial<ClaimInvitation> = {}): ClaimInvitation => ({
  plannedDueAt: due,
  present: true,
  held: false,
  now: at('07:00:05'),
  messageId: (round) => `round-${round}@example.com`,
  ...changes,
});
