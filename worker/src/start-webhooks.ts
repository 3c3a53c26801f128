import type { BlockList } from 'node:net';
import { systemClock, type EventLog, type ProcessLogger } from '@rollcall/application';
import { openWebhookSender, type Closable } from '@rollcall/adapters';
import type { Metrics } from '@rollcall/host';
import { runWebhooks } from './webhooks/run-webhooks.js';

export interface StartWebhooksOptions {
  readonly adapters: { readonly log: EventLog };
  readonly digestKey: Uint8Array;
  /** Private and special networks that may be sent to. */
  readonly networks: BlockList;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
}

/** Delivers to webhooks until closed; calls under way end first. */
export function startWebhooks({ adapters, networks, metrics, ...deps }: StartWebhooksOptions): Closable {
  const stop = new AbortController();
  const ended = runWebhooks({
    ...deps,
    log: adapters.log,
    sender: openWebhookSender({ allowed: networks }),
    clock: systemClock,
    signal: stop.signal,
    onOutcome: (outcome, count) => metrics.families.webhooks.inc({ outcome }, count),
  });
  return {
    close: async () => {
      stop.abort();
      await ended;
    },
  };
}
