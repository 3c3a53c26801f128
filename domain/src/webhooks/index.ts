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
export { evolve, webhookEventNames, type WebhookEvent } from './evolve.js';
export {
  addressOf,
  initialState,
  notified,
  shownUrl,
  type EventPlace,
  type Webhook,
  type WebhooksState,
} from './state.js';
