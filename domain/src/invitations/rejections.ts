export type InvitationRejection =
  | { readonly reason: 'left' }
  /** A worker is sending it, until `until` at the latest. */
  | { readonly reason: 'sending'; readonly until: string }
  /** Sent or failed: nothing to cancel. */
  | { readonly reason: 'ended'; readonly status: 'sent' | 'failed' }
  | { readonly reason: 'not-planned' };
