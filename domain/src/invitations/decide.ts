import type { DomainEventOf, InvitationSending } from '@rollcall/contracts';
import { type InvitationState, isEnded, leftReason, wakeMoment } from './evolve.js';
import type { Decision, Events, Nothing } from '../decision.js';

/** The company's facts about the employee of an invitation. */
interface SendConditions {
  /** In the company's set; numbers are never reused. */
  readonly present: boolean;
  /** The company's invitations are held. */
  readonly held: boolean;
}

/** Moments in ms since the epoch. */
export interface ClaimInvitation extends SendConditions {
  /** `invitationDue` of the `added` entry; null where none is planned. */
  readonly plannedDueAt: string | null;
  readonly now: number;
  /** Deterministic by round, from 1. */
  readonly messageId: (round: number) => string;
}

/** Text of a mail server or connection; the decision cuts it and removes addresses. */
interface ServerProblem {
  readonly code: string;
  readonly problem: string;
}

interface RecordSent {
  readonly claim: InvitationSending;
  readonly response: string;
  readonly sentAt: number;
}

interface RecordDeferred extends ServerProblem {
  readonly claim: InvitationSending;
  readonly now: number;
}

interface RecordFailed extends ServerProblem {
  readonly claim: InvitationSending;
}

interface ResendInvitation {
  readonly plannedDueAt: string | null;
  readonly present: boolean;
  readonly now: number;
  readonly reason: string | null;
}

export type CancelInvitation = Omit<ResendInvitation, 'present'>;

const claimDurationMs = 10 * 60_000;

const isoMoment = (ms: number): string => new Date(ms).toISOString();

type ClaimObstacle =
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

const endOf = (state: InvitationState): ClaimObstacle => (isEnded(state) ? state.status : 'not-planned');

function afterLeaving(state: InvitationState, dueAt: string): ClaimDecision {
  if (state.status === 'planned' || state.status === 'left') return nothing('left');
  return { kind: 'cancel', events: [{ name: 'InvitationCancelled', data: { dueAt, reason: leftReason } }] };
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

/** Nothing: already requested. */
export type ResendDecision = Decision<readonly [DomainEventOf<'InvitationRequested'>], InvitationRejection>;

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

/** Nothing: already cancelled. */
export type CancelInvitationDecision = Decision<
  readonly [DomainEventOf<'InvitationCancelled'>],
  InvitationRejection
>;

/** Only while it is unsent, and no worker is sending it. */
export function cancel(command: CancelInvitation, state: InvitationState): CancelInvitationDecision {
  const { plannedDueAt, now } = command;
  const reason = command.reason === leftReason ? `${leftReason}.` : command.reason;
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

export type InvitationRejection =
  | { readonly reason: 'left' }
  /** A worker is sending it, until `until` at the latest. */
  | { readonly reason: 'sending'; readonly until: string }
  /** Sent or failed: nothing to cancel. */
  | { readonly reason: 'ended'; readonly status: 'sent' | 'failed' }
  | { readonly reason: 'not-planned' };

const minuteMs = 60_000;
const longestDelayMs = 60 * minuteMs;
/** A round ends this long after its first attempt, but not before `fewestAttempts`: a hold may lie between two. */
const giveUpAfterMs = 48 * 60 * minuteMs;
const fewestAttempts = 24;

/** Nothing: recorded already, or the claim no longer counts. */
export type RecordDecision =
  Events<readonly [DomainEventOf<'InvitationSent' | 'InvitationDeferred' | 'InvitationFailed'>]> | Nothing;

/** Recorded whatever happened since, once per Message-ID; then nothing is sent before a new request. */
export function recordSent({ claim, response, sentAt }: RecordSent, state: InvitationState): RecordDecision {
  const { messageId } = claim;
  if (state.status !== 'planned' && state.sent.includes(messageId)) return { kind: 'nothing' };
  const dueAt = state.status === 'planned' ? claim.until : state.dueAt;
  const data = { dueAt, messageId, response: serverText(response), sentAt: isoMoment(sentAt) };
  return { kind: 'events', events: [{ name: 'InvitationSent', data }] };
}

/** Retries with exponential backoff, 1 min to 1 h; fails after 48 hours and 24 attempts. */
export function recordDeferred(command: RecordDeferred, state: InvitationState): RecordDecision {
  const { claim, now } = command;
  if (!isCurrent(claim, state)) return { kind: 'nothing' };
  const next = now + Math.min(longestDelayMs, minuteMs * 2 ** Math.min(claim.attempt - 1, 10));
  if (next - Date.parse(claim.startedAt) > giveUpAfterMs && claim.attempt >= fewestAttempts) {
    return failed(claim, { ...command, problem: `Given up after 48 hours: ${command.problem}` });
  }
  const data = { dueAt: claim.until, nextAttemptAt: isoMoment(next), ...stored(command) };
  return { kind: 'events', events: [{ name: 'InvitationDeferred', data }] };
}

export const recordFailed = (command: RecordFailed, state: InvitationState): RecordDecision =>
  isCurrent(command.claim, state) ? failed(command.claim, command) : { kind: 'nothing' };

function failed(claim: InvitationSending, problem: ServerProblem): RecordDecision {
  const data = { dueAt: claim.until, ...stored(problem) };
  return { kind: 'events', events: [{ name: 'InvitationFailed', data }] };
}

const stored = ({ code, problem }: ServerProblem): ServerProblem => ({
  code: serverText(code).slice(0, 40) || 'unknown',
  problem: serverText(problem),
});

const isCurrent = (claim: InvitationSending, state: InvitationState): boolean =>
  state.status === 'sending' && state.messageId === claim.messageId && state.attempt === claim.attempt;

const longest = 500;
const address = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+/gu;

/** A mail server's text as an event may hold it: one line, at most 500 characters, no e-mail addresses (personal data). */
export const serverText = (text: string): string =>
  text
    .slice(0, longest * 4)
    .replace(address, '<address>')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '');
