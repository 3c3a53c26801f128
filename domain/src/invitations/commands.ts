import type { InvitationSending } from '@rollcall/contracts';

/** The company's facts about the employee of an invitation. */
export interface SendConditions {
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
export interface ServerProblem {
  readonly code: string;
  readonly problem: string;
}

export interface RecordSent {
  readonly claim: InvitationSending;
  readonly response: string;
  readonly sentAt: number;
}

export interface RecordDeferred extends ServerProblem {
  readonly claim: InvitationSending;
  readonly now: number;
}

export interface RecordFailed extends ServerProblem {
  readonly claim: InvitationSending;
}

export interface ResendInvitation {
  readonly plannedDueAt: string | null;
  readonly present: boolean;
  readonly now: number;
  readonly reason: string | null;
}

export interface CancelInvitation {
  readonly plannedDueAt: string | null;
  readonly now: number;
  readonly reason: string | null;
}
