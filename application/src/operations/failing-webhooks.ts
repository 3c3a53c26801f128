import type { webhooks } from '@rollcall/domain';
import type { EventReader, StreamAdmin } from '../ports/event-log.js';
import { readWebhooks, webhooksPrefix } from '../webhooks/webhooks.js';

export interface FailingWebhook {
  readonly companyId: number;
  readonly webhook: webhooks.Webhook;
}

/** Those that accept nothing: retried, or disabled. */
export async function failingWebhooks(log: EventReader & StreamAdmin): Promise<readonly FailingWebhook[]> {
  const failing: FailingWebhook[] = [];
  for (const companyId of await companiesWithWebhooks(log))
    for (const webhook of (await readWebhooks(log, companyId)).webhooks.values())
      if (webhook.status === 'disabled' || webhook.deferred !== null) failing.push({ companyId, webhook });
  return failing;
}

async function companiesWithWebhooks(log: StreamAdmin): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const { stream } of log.listStreams(webhooksPrefix))
    ids.push(Number(stream.slice(webhooksPrefix.length)));
  return ids;
}
