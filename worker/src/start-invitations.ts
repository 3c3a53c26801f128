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
  type Keys,
  type Metrics,
  type Tracing,
  type WriteWatch,
  outboxPlace,
} from '@rollcall/adapters';

import { Digester } from '@rollcall/domain';

import { newInvitationCounts } from './invitations/counts.js';
import { runDueInvitations } from './invitations/due-loop.js';

import { recordInvitation } from './invitations/invitation-spans.js';

import { runInvitations, type InvitationsOptions } from './invitations/run-invitations.js';

import { showInvitations } from './worker-metrics.js';

/** How much the company states that invitations are checked with may weigh together. */
const stateCacheBytes = 64 * 1024 * 1024;

/** How many are sent at once; connections to a mail server are fewer. */
const CONCURRENCY = 16;

export interface StartInvitationsOptions {
  readonly config: Pick<CommonConfig, 'adapters' | 'ownKeyFolder'> & {
    readonly invitations: InvitationsConfig;
  };
  readonly adapters: Pick<Adapters, 'log' | 'queue' | 'readModels'>;
  readonly keys: Keys;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
  readonly writes: Pick<WriteWatch, 'watch'>;
  readonly tracing: Tracing;
}

/**
 * Sends invitations that are due until it is closed: looks for them, and handles the messages about them. Both mend themselves.
 * With a rate of 0 it sends none.
 */
export async function startInvitations(options: StartInvitationsOptions): Promise<Closable> {
  const { config, adapters, logger, metrics, writes } = options;
  const { mailer: choice, rate } = config.invitations;
  if (rate.total === 0) return { close: () => Promise.resolve() };
  const { dataDir } = config.adapters;
  const mailer = openMailer(choice, dataDir);
  if (choice.kind === 'file') writes.watch(outboxPlace(dataDir));
  const counts = newInvitationCounts();
  showInvitations(metrics, counts);
  const { invitationDelay, oldestDueInvitation } = metrics.families;
  const send = {
    ...(await sending(options)),
    mailer,
    onDelay: (ms: number) => invitationDelay.observe(ms / 1000),
  };
  const onLook = lookReport(options);
  const stop = new AbortController();
  const { signal } = stop;
  const ended = Promise.all([
    runInvitations({ queue: adapters.queue, counts, logger, concurrency: CONCURRENCY, signal, send, onLook }),
    runDueInvitations({
      ...adapters,
      rate,
      clock: systemClock,
      onOldest: (ms) => oldestDueInvitation.set(ms / 1000),
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
  keys,
}: StartInvitationsOptions): Promise<Omit<SendDeps, 'mailer'>> {
  const { log, readModels } = adapters;
  const { sender, linkUrl, rate } = config.invitations;
  const digester = new Digester(keys.digestKey);
  const states = new CompanyStateCache({ readModels, digester, cacheBytes: stateCacheBytes });
  const never = new AbortController().signal;
  return {
    log,
    readModels,
    clock: systemClock,
    digester,
    companies: new CompanyLoads({ log, digester, states }),
    limiter: new RateLimiter(rate, systemClock),
    linkFor: await openInvitationLinks({ keyFolder: config.ownKeyFolder, url: linkUrl }),
    messageIdOf: messageIds(keys.digestKey, domainOf(sender)),
    sender,
    wait: (ms) => sleep(ms, never),
  };
}

const domainOf = ({ address }: Mailbox): string => domainToASCII(address.slice(address.lastIndexOf('@') + 1));
