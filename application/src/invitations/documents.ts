/** Read models of invitations. Owner `company-`: the company's stream; `invitation-`: single invitations' streams. */
export const invitationCollections = {
  /** [companyId, last number] -> `PlansDocument`, by `company-`: one or more per import that planned invitations. */
  plans: 'invitation-plans',
  /** [companyId, number] -> `ProgressDocument`, by `invitation-`; by its indexes `due` and `allDue` in the order of `due`, by `ended` and `allEnded` newest first. */
  progress: 'invitation-progress',
  /** [companyId] -> `HoldDocument`, by `company-`; only while held. */
  holds: 'invitation-holds',
  /** [companyId, language id] -> `InvitationTemplateSet`, by `company-`. */
  templates: 'invitation-templates',
} as const;

export interface ProgressDocument {
  readonly state: 'requested' | 'sending' | 'deferred' | 'sent' | 'failed' | 'cancelled' | 'left';
  readonly dueAt: string;
  /** When to look again (ms since the epoch); null: never. */
  readonly due: number | null;
  /** Since the last request. */
  readonly attempts: number;
  readonly messageId: string | null;
  readonly lastError: { readonly code: string; readonly problem: string } | null;
  readonly sentAt: string | null;
  /** Of the first accepted mail in any round. */
  readonly firstSentAt?: string;
  /** Of one that failed. */
  readonly failedAt?: string;
}

/** Goes on once an undo brings the employee back. */
export const awaitsReturn = ({ state, firstSentAt }: ProgressDocument): boolean =>
  state === 'left' && firstSentAt === undefined;

/** Entries of `invitation-progress`: among those of the company, and of all. */
export const dueIndexes = (companyId: number, due: number) => ({ due: [companyId, due], allDue: [due] });

/** In the indexes of ended ones. */
export const invitationEndings = { sent: 1, failed: 2 } as const;
export type InvitationEnding = keyof typeof invitationEndings;

/** The same, the newest first. */
export const endedIndexes = (companyId: number, ending: InvitationEnding, at: number) => ({
  ended: [companyId, invitationEndings[ending], -at],
  allEnded: [invitationEndings[ending], -at],
});

export interface HoldDocument {
  readonly reason: string | null;
  readonly username: string;
  readonly since: string;
}
