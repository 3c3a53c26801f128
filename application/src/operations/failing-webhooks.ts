import type { webhooks } from '@rollcall/domain';
import { foldStream, type LoadedState } from '../event-store/load-state.js';
import type { EventReader, StreamAdmin } from '../ports/event-log.js';
import { webhooksFold, webhooksPrefix } from '../webhooks/webhooks.js';

export interface FailingWebhook {
  readonly companyId: number;
  readonly webhook: webhooks.Webhook;
}

/** By company; every delivery appends events. */
export type WebhookStates = Map<number, LoadedState<webhooks.WebhooksState>>;

/** Those that accept nothing: retried, or disabled. Folds the given states on, and keeps the new ones there. */
export async function failingWebhooks(
  log: EventReader & StreamAdmin,
  states: WebhookStates,
): Promise<readonly FailingWebhook[]> {
  const failing: FailingWebhook[] = [];
  for await (const { stream } of log.listStreams(webhooksPrefix)) {
    const companyId = Number(stream.slice(webhooksPrefix.length));
    const loaded = await foldStream(log, stream, webhooksFold, states.get(companyId));
    states.set(companyId, loaded);
    for (const webhook of loaded.state.webhooks.values())
      if (webhook.status === 'disabled' || webhook.deferred !== null) failing.push({ companyId, webhook });
  }
  return failing;
}
