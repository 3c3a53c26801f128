import { outboxPlace, type InvitationsConfig, type Metrics, type WriteWatch } from '@rollcall/host';
import { newInvitationCounts, type InvitationCounts } from './invitations/run-invitations.js';
import { showInvitations } from './worker-metrics.js';

export interface InvitationReport {
  readonly counts: InvitationCounts;
  readonly onDelay: (ms: number) => void;
  /** Age of the oldest sendable due invitation; 0 where none is. */
  readonly onOldest: (ms: number) => void;
}

export interface InvitationReportOptions {
  readonly metrics: Metrics;
  readonly writes: Pick<WriteWatch, 'watch'>;
  readonly config: {
    readonly adapters: { readonly dataDir: string };
    readonly invitations: InvitationsConfig;
  };
}

export function invitationReport({ metrics, writes, config }: InvitationReportOptions): InvitationReport {
  const counts = newInvitationCounts();
  const { mailer, rate } = config.invitations;
  const { invitationDelay, oldestDueInvitation } = metrics.families;
  if (rate.total > 0) {
    showInvitations(metrics, counts);
    if (mailer.kind === 'file') writes.watch(outboxPlace(config.adapters.dataDir));
  }
  return {
    counts,
    onDelay: (ms) => invitationDelay.observe(ms / 1000),
    onOldest: (ms) => oldestDueInvitation.set(ms / 1000),
  };
}
