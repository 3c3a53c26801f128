import type { webhooks } from '@rollcall/domain';
import type { DamageFinder, EventReader, StreamAdmin } from '../ports/event-log.js';
import { loadWebhooks, webhooksPrefix, webhooksStream, type WebhookStates } from '../webhooks/webhooks.js';

export interface FailingWebhook {
  readonly companyId: number;
  readonly webhook: webhooks.Webhook;
}

/** Those that accept nothing, of one company or all: retried, or disabled. Folds the given states on, and keeps new ones there. */
export async function failingWebhooks(
  log: EventReader & DamageFinder & StreamAdmin,
  states: WebhookStates,
  only?: number,
): Promise<readonly FailingWebhook[]> {
  const failing: FailingWebhook[] = [];
  const streams = only === undefined ? log.listStreams(webhooksPrefix) : [{ stream: webhooksStream(only) }];
  for await (const { stream } of streams) {
    const companyId = Number(stream.slice(webhooksPrefix.length));
    const { state } = await loadWebhooks(log, companyId, states);
    for (const webhook of state.webhooks.values())
      if (webhook.status === 'disabled' || webhook.deferred !== null) failing.push({ companyId, webhook });
  }
  return failing;
}
