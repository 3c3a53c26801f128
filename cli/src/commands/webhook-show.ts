import { loadEvent, readWebhooks, webhooksStream, type LoadedEvent, plain } from '@rollcall/application';
import { webhooks } from '@rollcall/domain';
import type { CliIo } from '../cli-io.js';
import { requireCompany } from '../known-company.js';
import { answer, table } from '../output.js';
import { withSession, type Session } from '../session.js';

interface ListOptions {
  readonly company: number;
  readonly json?: boolean;
}

interface DeliveriesOptions extends ListOptions {
  readonly webhook?: number;
  readonly top: number;
}

const stateText = ({ status, deferred }: webhooks.Webhook): string => {
  if (status === 'disabled') return 'disabled';
  return deferred === null ? 'active' : `failing since ${deferred.since}`;
};

export const listWebhooks = (io: CliIo, { company, json = false }: ListOptions): Promise<void> =>
  withSession(io, async (session) => {
    await requireCompany(session, company);
    const all = [...(await readWebhooks(session, company)).webhooks.values()];
    const shown = all.map(({ webhookId, types, status, generation, deferred, ...each }) => ({
      ...{ webhookId, url: webhooks.shownUrl(each), types, status, generation, deferred },
    }));
    const rows = all.map((each) => [
      String(each.webhookId),
      stateText(each),
      plain(webhooks.shownUrl(each)),
      each.types.join(', '),
      plain(each.deferred?.problem ?? ''),
    ]);
    const head = ['webhook', 'state', 'url', 'events', 'problem'];
    await answer(io, json, { webhooks: shown }, table(head, rows));
  });

interface Delivery {
  readonly at: string;
  readonly webhookId: number;
  readonly outcome: 'delivered' | 'deferred' | 'disabled';
  readonly count: number;
  readonly attempt: number | null;
  readonly problem: string | null;
}

async function deliveryOf(event: LoadedEvent): Promise<Delivery | undefined> {
  const at = event.metadata.recordedAt;
  if (event.name === 'WebhookDelivered') {
    const { webhookId, count } = await event.data(event.name);
    if (count === 0) return undefined;
    return { at, webhookId, outcome: 'delivered', count, attempt: null, problem: null };
  }
  if (event.name === 'WebhookDeferred') {
    const { webhookId, attempt, problem } = await event.data(event.name);
    return { at, webhookId, outcome: 'deferred', count: 0, attempt, problem };
  }
  if (event.name !== 'WebhookDisabled') return undefined;
  const { webhookId, problem } = await event.data(event.name);
  return { at, webhookId, outcome: 'disabled', count: 0, attempt: null, problem };
}

async function lastDeliveries(
  { log }: Session,
  { company, webhook, top }: DeliveriesOptions,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for await (const recorded of log.readStream(webhooksStream(company), { backwards: true })) {
    const delivery = await deliveryOf(loadEvent(log, recorded));
    if (delivery !== undefined && (webhook ?? delivery.webhookId) === delivery.webhookId)
      found.push(delivery);
    if (found.length === top) break;
  }
  return found;
}

export const showDeliveries = (io: CliIo, options: DeliveriesOptions): Promise<void> =>
  withSession(io, async (session) => {
    await requireCompany(session, options.company);
    const deliveries = await lastDeliveries(session, options);
    const rows = deliveries.map(({ at, webhookId, outcome, count, attempt, problem }) => [
      ...[at, String(webhookId), outcome, outcome === 'delivered' ? String(count) : ''],
      ...[attempt === null ? '' : String(attempt), plain(problem ?? '')],
    ]);
    const head = ['time', 'webhook', 'outcome', 'messages', 'attempt', 'problem'];
    await answer(io, options.json ?? false, { deliveries }, table(head, rows));
  });
