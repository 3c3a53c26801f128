import type { DomainEventOf, InvitationSending } from '@rollcall/contracts';
import type { RecordDeferred, RecordFailed, RecordSent, ServerProblem } from './commands.js';
import { isoMoment } from './decide.js';
import { serverText } from './server-text.js';
import type { InvitationState } from './state.js';

const minuteMs = 60_000;
const longestDelayMs = 60 * minuteMs;
/** A round ends this long after its first attempt. */
const giveUpAfterMs = 48 * 60 * minuteMs;

export type RecordDecision =
  | {
      readonly kind: 'events';
      readonly events: readonly [DomainEventOf<'InvitationSent' | 'InvitationDeferred' | 'InvitationFailed'>];
    }
  /** Recorded already, or the claim no longer counts. */
  | { readonly kind: 'nothing' };

/** Recorded whatever happened since, once per Message-ID; then nothing is sent before a new request. */
export function recordSent({ claim, response, sentAt }: RecordSent, state: InvitationState): RecordDecision {
  const { messageId } = claim;
  if (state.status !== 'planned' && state.sent.includes(messageId)) return { kind: 'nothing' };
  const dueAt = state.status === 'planned' ? claim.until : state.dueAt;
  const data = { dueAt, messageId, response: serverText(response), sentAt: isoMoment(sentAt) };
  return { kind: 'events', events: [{ name: 'InvitationSent', data }] };
}

/** Retries with exponential backoff, 1 min to 1 h; fails after 48 hours. */
export function recordDeferred(command: RecordDeferred, state: InvitationState): RecordDecision {
  const { claim, now } = command;
  if (!isCurrent(claim, state)) return { kind: 'nothing' };
  const next = now + Math.min(longestDelayMs, minuteMs * 2 ** Math.min(claim.attempt - 1, 10));
  if (next - Date.parse(claim.startedAt) > giveUpAfterMs) {
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
