/** Who cancels a held import for want of a decision: no user, as those have another kind of name. */
export const expiredBy = {
  userId: null,
  username: 'system',
  reason: 'nobody decided within 7 days',
} as const;

/** Of an `ImportCancelled`. */
export const isExpired = ({ username }: { readonly username: string }): boolean =>
  username === expiredBy.username;
