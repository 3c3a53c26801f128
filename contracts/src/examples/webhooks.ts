import type { EventData } from '../events/catalogue.js';

export const webhookEventExamples: {
  readonly [
    N in
      | 'WebhookAdded'
      | 'WebhookRemoved'
      | 'WebhookSecretRotated'
      | 'WebhookSending'
      | 'WebhookDelivered'
      | 'WebhookDeferred'
      | 'WebhookDisabled'
      | 'WebhookEnabled'
  ]: EventData<N>;
} = {
  WebhookAdded: {
    webhookId: 1,
    url: 'https://hr.example.com/rollcall',
    types: ['import.completed', 'import.failed'],
  },
  WebhookRemoved: { webhookId: 1 },
  WebhookSecretRotated: { webhookId: 1, generation: 2, previousUntil: '2026-11-24T07:00:00.000Z' },
  WebhookSending: { webhookId: 1, until: '2026-11-23T07:01:00.000Z' },
  WebhookDelivered: { webhookId: 1, stream: 'company-7', revision: 12, count: 3 },
  WebhookDeferred: {
    webhookId: 1,
    attempt: 1,
    since: '2026-11-23T07:00:00.000Z',
    nextAttemptAt: '2026-11-23T07:00:10.000Z',
    problem: 'answered 500',
  },
  WebhookDisabled: { webhookId: 1, problem: 'answered 500' },
  WebhookEnabled: { webhookId: 1 },
};
