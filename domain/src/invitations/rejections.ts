/** Why a person's command is refused. */
export type InvitationRejection =
  /** The employee is not in the company's set. */
  | { readonly reason: 'left' }
  /** A worker is sending it; at `until` at the latest that is over. */
  | { readonly reason: 'sending'; readonly until: string }
  /** There is nothing to cancel: it was sent, or has failed. */
  | { readonly reason: 'ended'; readonly status: 'sent' | 'failed' }
  /** There is nothing to cancel: none is planned. */
  | { readonly reason: 'not-planned' };
