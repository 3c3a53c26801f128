import { type Metrics, outboxPlace, type InvitationsConfig, type WriteWatch } from '@rollcall/host';
import type { ConsumerCounts } from './consumer.js';
import type { WorkerCounts } from './counts.js';
import { type InvitationCounts, newInvitationCounts } from './invitations/run-invitations.js';

const events: Readonly<Record<string, (counts: WorkerCounts) => number>> = {
  malformed: ({ malformed }) => malformed,
  unknown_company: ({ unknownCompanies }) => unknownCompanies,
  joined: ({ joined }) => joined,
  attempt_failed: ({ attemptsFailed }) => attemptsFailed,
  run_alone: ({ suspects }) => suspects,
  outage: ({ outages }) => outages,
  corrupt: ({ corrupt }) => corrupt,
  error: ({ errors }) => errors,
  unsettled: ({ unsettled }) => unsettled,
  queue_lost: ({ queueLost }) => queueLost,
  sent_again: ({ sentAgain }) => sentAgain,
};

export function showCounts(metrics: Metrics, counts: WorkerCounts): void {
  const { workerEvents } = metrics.families;
  metrics.beforeScrape(() => {
    showDeliveries(metrics, 'imports', counts);
    for (const [event, of] of Object.entries(events)) {
      workerEvents.remove({ event });
      workerEvents.inc({ event }, of(counts));
    }
  });
}

const outcomes = [
  'sent',
  'deferred',
  'failed',
  'cancelled',
  'nothing',
  'withheld',
  'paced',
  'behind',
  'malformed',
  'outages',
  'corrupt',
  'errors',
  'unsettled',
  'queueLost',
] as const;

function showInvitations(metrics: Metrics, counts: InvitationCounts): void {
  const { invitations } = metrics.families;
  metrics.beforeScrape(() => {
    showDeliveries(metrics, 'invitations', counts);
    for (const name of outcomes) {
      const outcome = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      invitations.remove({ outcome });
      invitations.inc({ outcome }, counts[name]);
    }
  });
}

function showDeliveries({ families }: Metrics, queue: string, counts: ConsumerCounts): void {
  const { queueDeliveries, queueRedeliveries } = families;
  queueDeliveries.remove({ queue });
  queueDeliveries.inc({ queue }, counts.deliveries);
  queueRedeliveries.remove({ queue });
  queueRedeliveries.inc({ queue }, counts.redeliveries);
}

export interface InvitationReport {
  readonly counts: InvitationCounts;
  readonly onDelay: (ms: number) => void;
  /** Age of the oldest sendable due invitation; 0 where none is. */
  readonly onOldest: (ms: number) => void;
}

interface InvitationReportOptions {
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
