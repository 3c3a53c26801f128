import { Type, type Static } from 'typebox';
import { Moment } from './shapes.js';

/* On `webhooks-{companyId}`. `webhookId` counts from 1 in the company and is never reused. No secret is stored: it follows from the key. */

const WebhookId = Type.Integer({ minimum: 1 });
/** Without a value of an event or an answer. */
const Problem = Type.String({ minLength: 1, maxLength: 500 });

export const webhookTypes = [
  'import.completed',
  'import.failed',
  'import.held',
  'invitation.failed',
] as const;
export type WebhookType = (typeof webhookTypes)[number];

export const WebhookAdded = Type.Object({
  webhookId: WebhookId,
  /** `mailto:` and an address: the company's notifications go there by e-mail. */
  url: Type.String({ minLength: 1, maxLength: 2_000 }),
  types: Type.Array(Type.Enum([...webhookTypes]), { minItems: 1 }),
});
export type WebhookAdded = Static<typeof WebhookAdded>;

export const WebhookRemoved = Type.Object({ webhookId: WebhookId });

/** Messages are signed with the secrets of both generations until `previousUntil`. */
export const WebhookSecretRotated = Type.Object({
  webhookId: WebhookId,
  generation: Type.Integer({ minimum: 2 }),
  previousUntil: Moment,
});

/** A worker delivers; nobody else does before `until`. */
export const WebhookSending = Type.Object({ webhookId: WebhookId, until: Moment });

/** Every message up to the one of this event was accepted, or the webhook does not ask for it. */
export const WebhookDelivered = Type.Object({
  webhookId: WebhookId,
  stream: Type.String({ minLength: 1 }),
  revision: Type.Integer({ minimum: 0 }),
  /** Messages that were accepted since the last one. */
  count: Type.Integer({ minimum: 0 }),
});

/** The next message was not accepted; it and all after it wait. */
export const WebhookDeferred = Type.Object({
  webhookId: WebhookId,
  attempt: Type.Integer({ minimum: 1 }),
  /** Of the first attempt. */
  since: Moment,
  nextAttemptAt: Moment,
  problem: Problem,
});

/** Nothing is sent until `WebhookEnabled`; messages wait. */
export const WebhookDisabled = Type.Object({ webhookId: WebhookId, problem: Problem });

export const WebhookEnabled = Type.Object({ webhookId: WebhookId });
