import type { WebhookType } from '@rollcall/contracts';

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
