import { notifier, systemClock, type ProcessLogger } from '@rollcall/application';
import { openMailer, openWebhookSender, type Adapters, type Closable } from '@rollcall/adapters';
import type { Metrics } from '@rollcall/host';
import { type WorkerConfig, domainOf } from './config.js';
import { runWebhooks } from './webhooks/run-webhooks.js';

interface StartWebhooksOptions {
  readonly adapters: Pick<Adapters, 'log' | 'snapshots'>;
  readonly digestKey: Uint8Array;
  readonly config: Pick<WorkerConfig, 'adapters' | 'invitations' | 'operationsUrl' | 'webhookNetworks'>;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
}

/** Delivers to webhooks, and e-mails of imports, until closed; what is under way ends first. */
export function startWebhooks({ adapters, config, metrics, ...deps }: StartWebhooksOptions): Closable {
  const { invitations, operationsUrl } = config;
  const { sender } = invitations;
  const mailer = openMailer(invitations.mailer, config.adapters.dataDir);
  const stop = new AbortController();
  // A counter that begins with 1 has no increase.
  for (const outcome of ['delivered', 'deferred', 'disabled']) metrics.families.webhooks.inc({ outcome }, 0);
  const ended = runWebhooks({
    ...deps,
    log: adapters.log,
    snapshots: adapters.snapshots,
    sender: openWebhookSender({ allowed: config.webhookNetworks }),
    notify: notifier({ mailer, sender, domain: domainOf(sender), operationsUrl }),
    clock: systemClock,
    signal: stop.signal,
    onOutcome: (outcome, count) => metrics.families.webhooks.inc({ outcome }, count),
  });
  return {
    close: async () => {
      stop.abort();
      await ended;
      await mailer.close();
    },
  };
}
