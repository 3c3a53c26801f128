export interface InvitedEmployee {
  readonly companyId: number;
  /** The employee's. */
  readonly number: number;
  /** Of the mail that carries the link. */
  readonly messageId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Gives the link of an invitation. */
export type LinkFor = (invited: InvitedEmployee) => string;
