export {
  decide,
  decideClaim,
  freeFrom,
  maxWebhooks,
  recordDelivery,
  urlProblem,
  type DeliveryOutcome,
  type WebhookCommand,
  type WebhookDecision,
  type WebhookRejection,
} from './decide.js';
export { decodeWebhooks, encodeWebhooks } from './encoding.js';
export {
  evolve,
  webhookEventNames,
  type WebhookEvent,
  addressOf,
  initialState,
  notified,
  shownUrl,
  type EventPlace,
  type Webhook,
  type WebhooksState,
} from './evolve.js';
