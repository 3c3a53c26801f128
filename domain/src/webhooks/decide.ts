import type { DomainEventOf, WebhookType } from '@rollcall/contracts';
import type { WebhookEvent } from './evolve.js';
import type { EventPlace, Webhook, WebhooksState } from './state.js';

/** For a company. */
export const maxWebhooks = 10;
const previousSecretMs = 24 * 3_600_000;
/** A claim outlasts the longest batch and its last call. */
const claimMs = 60_000;
const firstDelayMs = 5_000;
const lastDelayMs = 3_600_000;
const giveUpAfterMs = 3 * 24 * 3_600_000;

export type WebhookCommand =
  | { readonly kind: 'add'; readonly url: string; readonly types: readonly WebhookType[] }
  | { readonly kind: 'remove'; readonly webhookId: number }
  | { readonly kind: 'rotate'; readonly webhookId: number }
  | { readonly kind: 'enable'; readonly webhookId: number };

export type WebhookRejection =
  | { readonly reason: 'webhook-unknown' }
  | { readonly reason: 'too-many' }
  | { readonly reason: 'url-invalid'; readonly problem: string };

export type WebhookDecision =
  | { readonly kind: 'events'; readonly events: readonly WebhookEvent[] }
  | { readonly kind: 'refused'; readonly rejection: WebhookRejection }
  | { readonly kind: 'nothing' };

const refused = (rejection: WebhookRejection): WebhookDecision => ({ kind: 'refused', rejection });
const events = (...list: readonly WebhookEvent[]): WebhookDecision => ({ kind: 'events', events: list });
const nothing: WebhookDecision = { kind: 'nothing' };
const moment = (ms: number): string => new Date(ms).toISOString();

/** Why messages cannot be sent there; undefined for a fit one. */
export function urlProblem(url: string): string | undefined {
  if (url.length > 2_000) return 'must be at most 2000 characters';
  if (!URL.canParse(url)) return 'must be an address such as https://hr.example.com/hook';
  const { protocol, username, password, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  if (username !== '' || password !== '') return 'must hold no user and no password: messages are signed';
  return hash === '' ? undefined : 'must have no #';
}

function add(
  url: string,
  types: readonly WebhookType[],
  { webhooks, lastId }: WebhooksState,
): WebhookDecision {
  const problem = urlProblem(url);
  if (problem !== undefined) return refused({ reason: 'url-invalid', problem });
  if (webhooks.size >= maxWebhooks) return refused({ reason: 'too-many' });
  return events({ name: 'WebhookAdded', data: { webhookId: lastId + 1, url, types: [...new Set(types)] } });
}

/** Enabling one that is active does nothing. */
export function decide(command: WebhookCommand, state: WebhooksState, now: number): WebhookDecision {
  if (command.kind === 'add') return add(command.url, command.types, state);
  const { webhookId } = command;
  const webhook = state.webhooks.get(webhookId);
  if (!webhook) return refused({ reason: 'webhook-unknown' });
  switch (command.kind) {
    case 'remove':
      return events({ name: 'WebhookRemoved', data: { webhookId } });
    case 'rotate': {
      const data = {
        webhookId,
        generation: webhook.generation + 1,
        previousUntil: moment(now + previousSecretMs),
      };
      return events({ name: 'WebhookSecretRotated', data });
    }
    case 'enable':
      return webhook.status === 'active' ? nothing : events({ name: 'WebhookEnabled', data: { webhookId } });
    default:
      return command satisfies never;
  }
}

/** ms since the epoch from which on this webhook may be delivered to; Infinity while it is disabled. */
export function freeFrom({ status, claimedUntil, deferred }: Webhook): number {
  if (status === 'disabled') return Infinity;
  return Math.max(Date.parse(claimedUntil ?? moment(0)), Date.parse(deferred?.nextAttemptAt ?? moment(0)));
}

/** Reserves the webhook for one worker. */
export function decideClaim(webhookId: number, state: WebhooksState, now: number): WebhookDecision {
  const webhook = state.webhooks.get(webhookId);
  if (!webhook || freeFrom(webhook) > now) return nothing;
  return events({ name: 'WebhookSending', data: { webhookId, until: moment(now + claimMs) } });
}

export interface DeliveryOutcome {
  readonly webhookId: number;
  /** Messages that were accepted. */
  readonly count: number;
  /** Of the last of them, or of what needed no message; null where nothing was. */
  readonly delivered: EventPlace | null;
  /** Why the next message was not accepted. */
  readonly problem: string | null;
}

/** The next message was not accepted. After three days without success the webhook is disabled. */
function failed({ webhookId, deferred }: Webhook, problem: string, now: number): WebhookEvent {
  const since = deferred?.since ?? moment(now);
  if (now - Date.parse(since) >= giveUpAfterMs)
    return { name: 'WebhookDisabled', data: { webhookId, problem } };
  const attempt = (deferred?.attempt ?? 0) + 1;
  const nextAttemptAt = moment(now + Math.min(firstDelayMs * 4 ** (attempt - 1), lastDelayMs));
  return { name: 'WebhookDeferred', data: { webhookId, attempt, since, nextAttemptAt, problem } };
}

/** A webhook that was removed meanwhile: nothing. A success begins the three days anew. */
export function recordDelivery(outcome: DeliveryOutcome, state: WebhooksState, now: number): WebhookDecision {
  const { webhookId, count, delivered, problem } = outcome;
  const webhook = state.webhooks.get(webhookId);
  if (!webhook) return nothing;
  const reached: readonly DomainEventOf<'WebhookDelivered'>[] =
    delivered === null ? [] : [{ name: 'WebhookDelivered', data: { webhookId, ...delivered, count } }];
  if (problem === null) return reached.length === 0 ? nothing : events(...reached);
  const before = delivered === null ? webhook : { ...webhook, deferred: null };
  return events(...reached, failed(before, problem, now));
}
