import { setTimeout as pause } from 'node:timers/promises';
import {
  CompanyStateCache,
  messageIds,
  systemClock,
  type ProcessLogger,
  CompanyLoads,
  RateLimiter,
  type SendDeps,
} from '@rollcall/application';
import { openInvitationLinks, openMailer, type Adapters, type Closable } from '@rollcall/adapters';
import {
  outboxPlace,
  type CommonConfig,
  type InvitationsConfig,
  type Metrics,
  type Tracing,
  type WriteWatch,
} from '@rollcall/host';
import { Digester } from '@rollcall/employee-lists';
import { domainOf } from './config.js';
import { showDeliveries } from './consumer.js';
import { labelOf } from './counts.js';
import { runDueInvitations } from './invitations/due-loop.js';
import {
  newInvitationCounts,
  recordInvitation,
  runInvitations,
  type InvitationCounts,
} from './invitations/run-invitations.js';

const stateCacheBytes = 64 * 1024 * 1024;

/** More than the connections to a mail server. */
const maxInFlight = 64;

const maxMessages = 16;

export interface StartInvitationsOptions {
  readonly config: Pick<CommonConfig, 'adapters' | 'ownKeyFolder'> & {
    readonly invitations: InvitationsConfig;
  };
  readonly adapters: Pick<Adapters, 'log' | 'queue' | 'readModels' | 'snapshots'>;
  readonly digestKey: Uint8Array;
  readonly logger: ProcessLogger;
  readonly report: InvitationReport;
  readonly tracing: Tracing;
}

/** Finds due invitations and handles their messages until closed. Recovers from errors. A rate of 0 sends none. */
export async function startInvitations(options: StartInvitationsOptions): Promise<Closable> {
  const { config, adapters, logger, report, tracing } = options;
  const { mailer: choice, rate } = config.invitations;
  if (rate.total === 0) return { close: () => Promise.resolve() };
  const mailer = openMailer(choice, config.adapters.dataDir);
  const { counts, onDelay, onOldest } = report;
  const send = { ...(await sending(options)), mailer, onDelay };
  const stop = new AbortController();
  const { signal } = stop;
  const ended = Promise.all([
    runInvitations({
      queue: adapters.queue,
      counts,
      logger,
      concurrency: maxMessages,
      underWay: maxInFlight,
      signal,
      send,
      onLook: (due, look) => recordInvitation({ tracing, readModels: adapters.readModels }, due, look),
    }),
    runDueInvitations({ ...send, ...adapters, onOldest, logger, signal }),
  ]);
  return {
    close: async () => {
      stop.abort();
      await ended;
      await mailer.close();
    },
  };
}

async function sending({
  config,
  adapters,
  digestKey,
  logger,
}: StartInvitationsOptions): Promise<Omit<SendDeps, 'mailer'>> {
  const { log, readModels, snapshots } = adapters;
  const { sender, linkUrl, rate } = config.invitations;
  const digester = new Digester(digestKey);
  const states = new CompanyStateCache({
    snapshots,
    digester,
    cacheBytes: stateCacheBytes,
    onUnusable: (stream) => logger.warn({ stream }, 'a state snapshot was of no use'),
  });
  return {
    log,
    readModels,
    clock: systemClock,
    digester,
    companies: new CompanyLoads({ log, digester, states }),
    limiter: new RateLimiter(rate, performance),
    linkFor: await openInvitationLinks({ keyFolder: config.ownKeyFolder, url: linkUrl }),
    messageIdOf: messageIds(digestKey, domainOf(sender)),
    sender,
    wait: (ms) => pause(ms),
  };
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

function showInvitations(metrics: Metrics, counts: InvitationCounts): void {
  const { invitations } = metrics.families;
  metrics.beforeScrape(() => {
    const { deliveries, redeliveries, outage: outages, error: errors, ...others } = counts;
    showDeliveries(metrics, 'invitations', { deliveries, redeliveries });
    invitations.reset();
    for (const [outcome, count] of Object.entries({ ...others, outages, errors }))
      invitations.inc({ outcome: labelOf(outcome) }, count);
  });
}
