/**
 * What the projector keeps of invitations. `company-` stands for the company's stream, `invitation-` for those of single
 * invitations.
 */
export const invitationCollections = {
  /** [companyId, last number] -> `PlansDocument`, by `company-`: for each import that planned invitations one or more. */
  plans: 'invitation-plans',
  /** [companyId, number] -> `ProgressDocument`, by `invitation-`; by its index `due` in the order of `due`. */
  progress: 'invitation-progress',
  /** [companyId] -> `HoldDocument`, by `company-`; only while the company's invitations are held. */
  holds: 'invitation-holds',
  /** [companyId, language id] -> `InvitationTemplateSet`, by `company-`. */
  templates: 'invitation-templates',
} as const;

/** What has happened to an invitation since. */
export interface ProgressDocument {
  readonly state: 'requested' | 'sending' | 'deferred' | 'sent' | 'failed' | 'cancelled';
  /** When it is or was due. */
  readonly dueAt: string;
  /** When it is to be looked at again (ms since the epoch); null where never. */
  readonly due: number | null;
  /** Since the last request. */
  readonly attempts: number;
  readonly messageId: string | null;
  readonly lastError: { readonly code: string; readonly problem: string } | null;
  readonly sentAt: string | null;
  /** Of the first mail that a server accepted, whatever was requested later; absent before. */
  readonly firstSentAt?: string;
}

export interface HoldDocument {
  readonly reason: string | null;
  readonly username: string;
  /** ISO 8601 UTC. */
  readonly since: string;
}
