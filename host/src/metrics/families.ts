import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds: a call takes milliseconds, a large import a minute. */
const callBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const delayBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
const importBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** A gauge that can have no value; a plain unlabelled one would start at 0. */
export class Reading<L extends string = never> extends Gauge<L> {
  readonly #isLabelled: boolean;

  constructor(given: { name: string; help: string; labelNames: L[]; registers: Registry[] }) {
    super(given);
    this.#isLabelled = given.labelNames.length > 0;
    this.forget();
  }

  forget(): void {
    this.reset();
    if (!this.#isLabelled) this.remove();
  }
}

class Maker {
  readonly #registers: Registry[];

  constructor(registry: Registry) {
    this.#registers = [registry];
  }

  reading<L extends string = never>(name: string, help: string, labelNames: L[] = []): Reading<L> {
    return new Reading({ name, help, labelNames, registers: this.#registers });
  }

  counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  seconds<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: this.#registers });
  }
}

const callFamilies = (make: Maker) => ({
  httpRequests: make.seconds(
    'rollcall_http_request_duration_seconds',
    'Answered calls by route (its pattern) and status, until the end of the answer.',
    ['method', 'route', 'status'],
    callBuckets,
  ),
  eventLogCalls: make.seconds(
    'rollcall_event_log_duration_seconds',
    'Calls of the event log by operation; of a read, the time that was waited for events.',
    ['operation'],
    storeBuckets,
  ),
  eventLogFailures: make.counter('rollcall_event_log_failures_total', 'Calls of the event log that threw.', [
    'operation',
  ]),
});

const projectionFamilies = (make: Maker) => ({
  projectionLag: make.reading(
    'rollcall_projection_lag_events',
    'Events from the read models to the end of the log, without pieces of large data; counted up to 10000.',
  ),
  projectionLagSeconds: make.reading(
    'rollcall_projection_lag_seconds',
    'How long ago the oldest event was recorded that the read models do not have whole; 0 where they have all.',
  ),
  builtReadModels: make.reading(
    'rollcall_read_models_built_ratio',
    'How much of the log is in the read models that are being built beside those that are read; 1 where none are.',
  ),
  parkedStreams: make.reading(
    'rollcall_parked_streams',
    'Streams whose projection has stopped, or which others have damaged.',
  ),
});

const dataFolderFamilies = (make: Maker) => ({
  dataFolderFree: make.reading(
    'rollcall_data_folder_free_bytes',
    'Bytes that are free in the file system of DATA_DIR.',
  ),
  dataFolderUsed: make.reading(
    'rollcall_data_folder_used_bytes',
    'Bytes of the disk that the files in DATA_DIR take, the outbox left out.',
  ),
});

const proofFamilies = (make: Maker) => ({
  lastVerified: make.reading(
    'rollcall_last_verified_timestamp_seconds',
    'When the projector, or audit verify on this DATA_DIR, last found the whole log whole, in Unix time.',
  ),
  lastVerifiedPosition: make.reading(
    'rollcall_last_verified_position',
    'Up to which position the present round has verified the log.',
  ),
  brokenStreams: make.reading(
    'rollcall_log_broken_streams',
    'Streams in which verification has found a broken chain, a missing event or data that does not fit.',
  ),
  lastAnchor: make.reading(
    'rollcall_last_anchor_timestamp_seconds',
    'When the newest anchor of the log was recorded, in Unix time.',
  ),
});

const queueFamilies = (make: Maker) => ({
  queueMessages: make.reading('rollcall_queue_messages', 'Messages by queue, waiting or unsettled.', [
    'queue',
    'state',
  ]),
  queueDeliveries: make.counter('rollcall_queue_deliveries_total', 'Deliveries taken from a queue.', [
    'queue',
  ]),
  queueRedeliveries: make.counter(
    'rollcall_queue_redeliveries_total',
    'Deliveries that were not the first of their message.',
    ['queue'],
  ),
});

const importFamilies = (make: Maker) => ({
  importRuns: make.seconds(
    'rollcall_import_run_duration_seconds',
    'Runs of queued imports by kind and what came of them.',
    ['kind', 'outcome'],
    importBuckets,
  ),
  pendingImports: make.reading('rollcall_pending_imports', 'Queued imports that no hold stops.', ['kind']),
  oldestPendingImport: make.reading(
    'rollcall_oldest_pending_import_age_seconds',
    'For how long the oldest pending import has been queued; 0 where none is.',
  ),
  elementsInFull: make.counter(
    'rollcall_employees_read_in_full_total',
    'Employees of bodies that the fast reader left to the rules in full, by its reason.',
    ['reason'],
  ),
  bodiesReadAgain: make.counter(
    'rollcall_queued_bodies_read_again_total',
    'Bodies of queued imports that were read once more, by why what acceptance had proved did not settle them.',
    ['reason'],
  ),
  snapshotsUnusable: make.counter(
    'rollcall_state_snapshots_unusable_total',
    'State snapshots that were damaged, not of this log, or out of reach, so that more of a stream was folded.',
    [],
  ),
  workerEvents: make.counter('rollcall_worker_events_total', 'What a worker met, by kind.', ['event']),
});

const invitationFamilies = (make: Maker) => ({
  invitations: make.counter('rollcall_invitations_total', 'Looks at invitations, by what came of them.', [
    'outcome',
  ]),
  webhooks: make.counter('rollcall_webhook_messages_total', 'Messages to webhooks, by what came of them.', [
    'outcome',
  ]),
  invitationDelay: make.seconds(
    'rollcall_invitation_delay_seconds',
    'From the moment an invitation was due to the one when the mail server had it.',
    [],
    delayBuckets,
  ),
  oldestDueInvitation: make.reading(
    'rollcall_oldest_due_invitation_age_seconds',
    'For how long the oldest invitation that is not held has been due; 0 where none is.',
  ),
});

/** All metrics of Rollcall; a process sets those of its work. No label holds a value that a caller or company chooses. */
export function createFamilies(registry: Registry) {
  const make = new Maker(registry);
  return {
    ...callFamilies(make),
    ...projectionFamilies(make),
    ...dataFolderFamilies(make),
    ...proofFamilies(make),
    ...queueFamilies(make),
    ...importFamilies(make),
    ...invitationFamilies(make),
    buildInfo: make.reading('rollcall_build_info', 'What runs: 1, under its versions.', [
      'version',
      'commit',
      'node',
    ]),
    scrapeErrors: make.counter(
      'rollcall_scrape_errors_total',
      'Scrapes that a part was left out of, because it was away.',
      ['part'],
    ),
  };
}

export type Families = ReturnType<typeof createFamilies>;
