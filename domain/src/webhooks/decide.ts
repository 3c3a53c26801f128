import type { DomainEventOf, WebhookAdded, WebhookType } from '@rollcall/contracts';
import { isEmailAddress } from '@rollcall/employee-lists/text';
import {
  type WebhookEvent,
  addressOf,
  notified,
  type EventPlace,
  type Webhook,
  type WebhooksState,
} from './evolve.js';
import { type Decision, refused } from '../decision.js';

/** For a company. */
export const maxWebhooks = 10;
const previousSecretMs = 24 * 3_600_000;
/** A claim outlasts the longest batch and its last call, or the mail server's longest answer. */
const claimMs = 60_000;
const mailClaimMs = 10 * 60_000;
const firstDelayMs = 5_000;
const lastDelayMs = 3_600_000;
const giveUpAfterMs = 3 * 24 * 3_600_000;
/** Workers may be away between them. */
const fewestAttempts = 24;

export type WebhookCommand =
  | { readonly kind: 'add'; readonly url: string; readonly types: readonly WebhookType[] }
  | { readonly kind: 'remove'; readonly webhookId: number }
  | { readonly kind: 'rotate'; readonly webhookId: number }
  | { readonly kind: 'enable'; readonly webhookId: number }
  /** The one address of the company that gets e-mails; null: none. */
  | { readonly kind: 'notify'; readonly address: string | null };

export type WebhookRejection =
  | { readonly reason: 'webhook-unknown' }
  | { readonly reason: 'too-many' }
  | { readonly reason: 'url-invalid'; readonly problem: string };

export type WebhookDecision = Decision<readonly WebhookEvent[], WebhookRejection>;

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
  const others = [...webhooks.values()].filter((each) => addressOf(each) === undefined);
  if (others.length >= maxWebhooks) return refused({ reason: 'too-many' });
  return events({ name: 'WebhookAdded', data: { webhookId: lastId + 1, url, types: [...new Set(types)] } });
}

/** A new address gets what happens from now on. The same one again is enabled. */
function notify(address: string | null, state: WebhooksState): WebhookDecision {
  if (address !== null && !isEmailAddress(address))
    return refused({ reason: 'url-invalid', problem: 'must be an e-mail address' });
  const before = notified(state);
  if (before && addressOf(before) === address) return enable(before);
  const changes: WebhookEvent[] = [];
  if (before) changes.push({ name: 'WebhookRemoved', data: { webhookId: before.webhookId } });
  if (address !== null) changes.push({ name: 'WebhookAdded', data: notifying(state.lastId + 1, address) });
  return changes.length === 0 ? nothing : events(...changes);
}

const notifying = (webhookId: number, address: string): WebhookAdded => ({
  webhookId,
  url: `mailto:${address}`,
  types: ['import.held', 'import.failed'],
});

const enable = ({ webhookId, status }: Webhook): WebhookDecision =>
  status === 'active' ? nothing : events({ name: 'WebhookEnabled', data: { webhookId } });

/** Enabling one that is active does nothing. */
export function decide(command: WebhookCommand, state: WebhooksState, now: number): WebhookDecision {
  if (command.kind === 'add') return add(command.url, command.types, state);
  if (command.kind === 'notify') return notify(command.address, state);
  const webhook = state.webhooks.get(command.webhookId);
  return webhook ? change(command.kind, webhook, now) : refused({ reason: 'webhook-unknown' });
}

function change(kind: 'remove' | 'rotate' | 'enable', webhook: Webhook, now: number): WebhookDecision {
  const { webhookId } = webhook;
  switch (kind) {
    case 'remove':
      return events({ name: 'WebhookRemoved', data: { webhookId } });
    case 'rotate': {
      if (addressOf(webhook) !== undefined) return refused({ reason: 'webhook-unknown' });
      const generation = webhook.generation + 1;
      const data = { webhookId, generation, previousUntil: moment(now + previousSecretMs) };
      return events({ name: 'WebhookSecretRotated', data });
    }
    case 'enable':
      return enable(webhook);
    default:
      return kind satisfies never;
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
  const until = moment(now + (addressOf(webhook) === undefined ? claimMs : mailClaimMs));
  return events({ name: 'WebhookSending', data: { webhookId, until } });
}

export interface DeliveryOutcome {
  readonly webhookId: number;
  /** Messages that were accepted. */
  readonly count: number;
  /** Of the last of them, or of what needed no message; null where nothing was. */
  readonly delivered: EventPlace | null;
  /** Why the next message was not accepted. */
  readonly problem: string | null;
  /** The claim that it was made under. */
  readonly claimedUntil: string | null;
}

/** The next message was not accepted. After three days and 24 attempts without success the webhook is disabled. */
function failed({ webhookId, deferred }: Webhook, problem: string, now: number): WebhookEvent {
  const since = deferred?.since ?? moment(now);
  const attempt = (deferred?.attempt ?? 0) + 1;
  if (now - Date.parse(since) >= giveUpAfterMs && attempt >= fewestAttempts)
    return { name: 'WebhookDisabled', data: { webhookId, problem } };
  const nextAttemptAt = moment(now + Math.min(firstDelayMs * 4 ** (attempt - 1), lastDelayMs));
  return { name: 'WebhookDeferred', data: { webhookId, attempt, since, nextAttemptAt, problem } };
}

/** A webhook that was removed or claimed by another worker meanwhile: nothing. A success begins the three days anew. */
export function recordDelivery(outcome: DeliveryOutcome, state: WebhooksState, now: number): WebhookDecision {
  const { webhookId, count, delivered, problem, claimedUntil } = outcome;
  const webhook = state.webhooks.get(webhookId);
  if (webhook?.claimedUntil !== claimedUntil) return nothing;
  const reached: readonly DomainEventOf<'WebhookDelivered'>[] =
    delivered === null ? [] : [{ name: 'WebhookDelivered', data: { webhookId, ...delivered, count } }];
  if (problem === null) return reached.length === 0 ? nothing : events(...reached);
  const before = delivered === null ? webhook : { ...webhook, deferred: null };
  return events(...reached, failed(before, problem, now));
}
