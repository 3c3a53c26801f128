import type { DomainEventOf, WebhookType } from '@rollcall/contracts';

/** An event of the log, by which the place in all of it is found again. */
export interface EventPlace {
  readonly stream: string;
  readonly revision: number;
}

export interface Webhook {
  readonly webhookId: number;
  /** `mailto:` and an address: e-mails are sent there. */
  readonly url: string;
  readonly types: readonly WebhookType[];
  readonly status: 'active' | 'disabled';
  /** Of the secret, from 1. */
  readonly generation: number;
  /** ISO 8601 UTC: until then the generation before signs too. */
  readonly previousUntil: string | null;
  /** Everything up to this event is delivered; null: up to the event that added the webhook. */
  readonly delivered: EventPlace | null;
  /** ISO 8601 UTC: a worker delivers until then. */
  readonly claimedUntil: string | null;
  readonly deferred: {
    readonly attempt: number;
    readonly since: string;
    readonly nextAttemptAt: string;
    readonly problem: string;
  } | null;
}

export interface WebhooksState {
  readonly webhooks: ReadonlyMap<number, Webhook>;
  /** The highest id ever given; 0 before the first. */
  readonly lastId: number;
}

export const initialState = (): WebhooksState => ({ webhooks: new Map(), lastId: 0 });

const mailScheme = 'mailto:';

/** Where e-mails are sent to; undefined for one that is called by HTTP. */
export const addressOf = ({ url }: Pick<Webhook, 'url'>): string | undefined =>
  url.startsWith(mailScheme) ? url.slice(mailScheme.length) : undefined;

/** For listings: an address is a personal value. */
export const shownUrl = ({ url }: Pick<Webhook, 'url'>): string => url.replace(/^(mailto:.)[^@]*/su, '$1***');

/** The one that gets e-mails. */
export const notified = ({ webhooks }: WebhooksState): Webhook | undefined =>
  [...webhooks.values()].find((each) => addressOf(each) !== undefined);

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

/** Another number where `Webhook` changes. */
const format = 'webhooks 1';

/** A state as JSON, for a snapshot. */
export const encodeWebhooks = ({ webhooks, lastId }: WebhooksState): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ format, webhooks: [...webhooks], lastId }));

/** Undefined for another format. */
export function decodeWebhooks(bytes: Uint8Array): WebhooksState | undefined {
  type Encoded = { format: string; webhooks: readonly (readonly [number, Webhook])[]; lastId: number };
  const { format: found, webhooks, lastId } = JSON.parse(new TextDecoder().decode(bytes)) as Encoded;
  return found === format ? { webhooks: new Map(webhooks), lastId } : undefined;
}
