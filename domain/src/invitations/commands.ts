import type { InvitationSending } from '@rollcall/contracts';

/** What the company's stream says about the employee of an invitation. */
export interface Standing {
  /** The employee with this number is in the company's set; no number is given twice. */
  readonly present: boolean;
  /** The company's invitations are held. */
  readonly held: boolean;
}

/** A worker found the invitation due and wants to send it. Moments in ms since the epoch. */
export interface ClaimInvitation extends Standing {
  /** The `invitationDue` of the employee's `added` entry; null where none is planned. */
  readonly plannedDueAt: string | null;
  readonly now: number;
  /** The Message-ID of a round, 1 for the first: always the same for the same round. */
  readonly messageId: (round: number) => string;
}

/** What a mail server or the connection to it said; the texts are cut and freed of addresses by the decision. */
export interface ServerProblem {
  readonly code: string;
  readonly problem: string;
}

export interface RecordSent {
  /** Under which the mail was sent. */
  readonly claim: InvitationSending;
  readonly response: string;
  /** When the server accepted it. */
  readonly sentAt: number;
}

export interface RecordDeferred extends ServerProblem {
  readonly claim: InvitationSending;
  readonly now: number;
}

export interface RecordFailed extends ServerProblem {
  readonly claim: InvitationSending;
}

/** A person wants the invitation sent now, whatever happened to it before. */
export interface ResendInvitation {
  readonly plannedDueAt: string | null;
  readonly present: boolean;
  readonly now: number;
  readonly reason: string | null;
}

/** A person wants the invitation not sent. */
export interface CancelInvitation {
  readonly plannedDueAt: string | null;
  readonly now: number;
  readonly reason: string | null;
}
