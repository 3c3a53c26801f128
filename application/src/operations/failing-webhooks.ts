import type { webhooks } from '@rollcall/domain';
import type { EventReader, StreamAdmin } from '../ports/event-log.js';
import { readWebhooks, webhooksPrefix } from '../webhooks/webhooks.js';

export interface FailingWebhook {
  readonly companyId: number;
  readonly webhook: webhooks.Webhook;
}

/** Those that accept nothing: retried, or disabled. Of one company, or of all. */
export async function failingWebhooks(
  log: EventReader & StreamAdmin,
  companyId?: number,
): Promise<readonly FailingWebhook[]> {
  const failing: FailingWebhook[] = [];
  const ids = companyId === undefined ? await companiesWithWebhooks(log) : [companyId];
  for (const id of ids)
    for (const webhook of (await readWebhooks(log, id)).webhooks.values())
      if (webhook.status === 'disabled' || webhook.deferred !== null)
        failing.push({ companyId: id, webhook });
  return failing;
}

async function companiesWithWebhooks(log: StreamAdmin): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const { stream } of log.listStreams(webhooksPrefix))
    ids.push(Number(stream.slice(webhooksPrefix.length)));
  return ids;
}
