/**
 * What the projector keeps of invitations. `company-` stands for the company's stream, `invitation-` for those of single
 * invitations. Each document is written by one stream, but for the entries of `due`.
 */
export const invitationCollections = {
  /** [companyId, number] -> `PlanDocument`, by `company-`; only where an invitation is planned. */
  plans: 'invitations',
  /** [companyId, number] -> `ProgressDocument`, by `invitation-`. */
  progress: 'invitation-progress',
  /** [companyId, number] -> `TimerDocument`, by `invitation-`: which entry of `due` is its own, while it has one. */
  timers: 'invitation-timers',
  /** [companyId, moment in ms, number] -> the key of the plan: all that are to be looked at some time, the next first. */
  due: 'invitations-due',
  /** [companyId] -> `HoldDocument`, by `company-`; only while the company's invitations are held. */
  holds: 'invitation-holds',
  /** [companyId, last number] -> `OriginDocument`, by `company-`: one for each import that planned invitations. */
  origins: 'invitation-origins',
  /** [companyId, language id] -> `InvitationTemplateSet`, by `company-`. */
  templates: 'invitation-templates',
} as const;

/** What was planned when the employee was new. */
export interface PlanDocument {
  /** ISO 8601 UTC, and the same in ms. */
  readonly dueAt: string;
  readonly due: number;
  readonly state: 'planned' | 'left';
}

/** What has happened to an invitation since. */
export interface ProgressDocument {
  readonly state: 'requested' | 'sending' | 'deferred' | 'sent' | 'failed' | 'cancelled';
  /** When it is or was due. */
  readonly dueAt: string;
  /** Since the last request. */
  readonly attempts: number;
  readonly messageId: string | null;
  readonly lastError: { readonly code: string; readonly problem: string } | null;
  readonly sentAt: string | null;
  /** Of the first mail that a server accepted, whatever was requested later; absent before. */
  readonly firstSentAt?: string;
}

/** Which import planned the invitations of these numbers, up to that of the key. */
export interface OriginDocument {
  readonly first: number;
  readonly operationId: string;
}

export interface TimerDocument {
  /** Ms since the epoch. */
  readonly due: number;
}

export interface HoldDocument {
  readonly reason: string | null;
  readonly username: string;
  /** ISO 8601 UTC. */
  readonly since: string;
}
