import { domainToASCII } from 'node:url';
import {
  CompanyStateCache,
  messageIds,
  systemClock,
  type Mailbox,
  type ProcessLogger,
  CompanyLoads,
  RateLimiter,
  type SendDeps,
  sleep,
} from '@rollcall/application';
import {
  openInvitationLinks,
  openMailer,
  type Adapters,
  type Closable,
  type CommonConfig,
  type InvitationsConfig,
  type Tracing,
} from '@rollcall/adapters';

import { Digester } from '@rollcall/domain';

import type { InvitationReport } from './invitation-report.js';
import { runDueInvitations } from './invitations/due-loop.js';

import { recordInvitation } from './invitations/invitation-spans.js';

import { runInvitations, type InvitationsOptions } from './invitations/run-invitations.js';

/** How much the company states that invitations are checked with may weigh together. */
const stateCacheBytes = 64 * 1024 * 1024;

/** How many are sent at once; connections to a mail server are fewer. */
const UNDER_WAY = 64;

/** How many messages about them are handled at once. */
const CONCURRENCY = 16;

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

/**
 * Sends invitations that are due until it is closed: looks for them, and handles the messages about them. Both mend themselves.
 * With a rate of 0 it sends none.
 */
export async function startInvitations(options: StartInvitationsOptions): Promise<Closable> {
  const { config, adapters, logger, report } = options;
  const { mailer: choice, rate } = config.invitations;
  if (rate.total === 0) return { close: () => Promise.resolve() };
  const mailer = openMailer(choice, config.adapters.dataDir);
  const { counts, onDelay, onOldest } = report;
  const send = { ...(await sending(options)), mailer, onDelay };
  const onLook = lookReport(options);
  const stop = new AbortController();
  const { signal } = stop;
  const ended = Promise.all([
    runInvitations({
      queue: adapters.queue,
      counts,
      logger,
      concurrency: CONCURRENCY,
      underWay: UNDER_WAY,
      signal,
      send,
      onLook,
    }),
    runDueInvitations({
      ...adapters,
      rate,
      clock: systemClock,
      onOldest,
      logger,
      signal,
    }),
  ]);
  return {
    close: async () => {
      stop.abort();
      await ended;
      await mailer.close();
    },
  };
}

const lookReport =
  ({
    tracing,
    adapters: { readModels },
  }: StartInvitationsOptions): NonNullable<InvitationsOptions['onLook']> =>
  (due, look) =>
    recordInvitation({ tracing, readModels }, due, look);

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
  const never = new AbortController().signal;
  return {
    log,
    readModels,
    clock: systemClock,
    digester,
    companies: new CompanyLoads({ log, digester, states }),
    limiter: new RateLimiter(rate, systemClock),
    linkFor: await openInvitationLinks({ keyFolder: config.ownKeyFolder, url: linkUrl }),
    messageIdOf: messageIds(digestKey, domainOf(sender)),
    sender,
    wait: (ms) => sleep(ms, never),
  };
}

const domainOf = ({ address }: Mailbox): string => domainToASCII(address.slice(address.lastIndexOf('@') + 1));
