import type { Metrics } from '@rollcall/host';
import type { ConsumerCounts } from './consumer.js';
import type { WorkerCounts } from './counts.js';
import type { InvitationCounts } from './invitations/run-invitations.js';

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

export function showInvitations(metrics: Metrics, counts: InvitationCounts): void {
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
