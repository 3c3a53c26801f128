import type { Metrics } from '@rollcall/adapters';
import type { WorkerCounts } from './counts.js';

const queue = 'imports';

/** What `rollcall_worker_events_total` says of the counts; imports are counted where they are timed. */
const events: Readonly<Record<string, (counts: WorkerCounts) => number>> = {
  malformed: ({ malformed }) => malformed,
  unknown_company: ({ unknownCompanies }) => unknownCompanies,
  joined: ({ joined }) => joined,
  attempt_failed: ({ attemptsFailed }) => attemptsFailed,
  outage: ({ outages }) => outages,
  corrupt: ({ corrupt }) => corrupt,
  error: ({ errors }) => errors,
  unsettled: ({ unsettled }) => unsettled,
  queue_lost: ({ queueLost }) => queueLost,
  sent_again: ({ sentAgain }) => sentAgain,
};

/** Shows the worker's counts at each scrape. */
export function showCounts(metrics: Metrics, counts: WorkerCounts): void {
  const { queueDeliveries, queueRedeliveries, workerEvents } = metrics.families;
  metrics.beforeScrape(() => {
    for (const counter of [queueDeliveries, queueRedeliveries, workerEvents]) counter.reset();
    queueDeliveries.inc({ queue }, counts.deliveries);
    queueRedeliveries.inc({ queue }, counts.redeliveries);
    for (const [event, of] of Object.entries(events)) workerEvents.inc({ event }, of(counts));
  });
}
