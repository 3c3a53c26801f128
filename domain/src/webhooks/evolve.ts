import type { DomainEventOf } from '@rollcall/contracts';
import type { Webhook, WebhooksState } from './state.js';

export const webhookEventNames = [
  'WebhookAdded',
  'WebhookRemoved',
  'WebhookSecretRotated',
  'WebhookSending',
  'WebhookDelivered',
  'WebhookDeferred',
  'WebhookDisabled',
  'WebhookEnabled',
] as const;

export type WebhookEvent = DomainEventOf<(typeof webhookEventNames)[number]>;
type Changing = Exclude<WebhookEvent, { name: 'WebhookAdded' | 'WebhookRemoved' }>;

const free = { claimedUntil: null };

function changed(webhook: Webhook, event: Changing): Webhook {
  switch (event.name) {
    case 'WebhookSecretRotated': {
      const { generation, previousUntil } = event.data;
      return { ...webhook, generation, previousUntil };
    }
    case 'WebhookSending':
      return { ...webhook, claimedUntil: event.data.until };
    case 'WebhookDelivered': {
      const { stream, revision } = event.data;
      return { ...webhook, ...free, delivered: { stream, revision }, deferred: null };
    }
    case 'WebhookDeferred': {
      const { attempt, since, nextAttemptAt, problem } = event.data;
      return { ...webhook, ...free, deferred: { attempt, since, nextAttemptAt, problem } };
    }
    case 'WebhookDisabled':
      return { ...webhook, ...free, status: 'disabled' };
    case 'WebhookEnabled':
      return { ...webhook, ...free, status: 'active', deferred: null };
    default:
      return event satisfies never;
  }
}

export function evolve(state: WebhooksState, event: WebhookEvent): WebhooksState {
  const { webhookId } = event.data;
  const webhooks = new Map(state.webhooks);
  if (event.name === 'WebhookAdded') {
    const { url, types } = event.data;
    const begun = { generation: 1, previousUntil: null, delivered: null, claimedUntil: null, deferred: null };
    webhooks.set(webhookId, { webhookId, url, types, status: 'active', ...begun });
    return { webhooks, lastId: Math.max(state.lastId, webhookId) };
  }
  if (event.name === 'WebhookRemoved') webhooks.delete(webhookId);
  else {
    const known = webhooks.get(webhookId);
    if (known) webhooks.set(webhookId, changed(known, event));
  }
  return { ...state, webhooks };
}
