import type { CallContext } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { systemContext } from '../event-store/linked-events.js';
import { untilAccepted } from '../event-store/outage-retry.js';
import type { WebhookAnswer, WebhookSender } from '../ports/webhook-sender.js';
import type { Notice } from './notification.js';
import type { Notify, WebhookQueue } from './notifier.js';
import type { WebhookFeed } from './webhook-feed.js';
import { type SecretOf, webhooksFold, webhooksStream } from './webhooks.js';

const maxBatch = 100;
/** With the longest call, within the claim. */
const maxBatchMs = 30_000;
/** An e-mail leaves at least this long before its claim ends, so that the answer is recorded in time. */
const recordMarginMs = 2 * 60_000;
/** The place of an idle webhook is recorded this often, so that a start reads little. */
const moveOnAfterMs = 24 * 3_600_000;

export interface DeliverDeps extends DecideAndAppendDeps {
  readonly sender: WebhookSender;
  readonly notify: Notify;
  readonly secretOf: SecretOf;
  readonly feed: Pick<WebhookFeed, 'stateOf' | 'put' | 'align'>;
  readonly wait: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Delivered {
  readonly count: number;
  readonly problem: string | null;
  readonly disabled: boolean;
}

type Decide = (state: webhooks.WebhooksState, now: number) => webhooks.WebhookDecision;

const append = (deps: DeliverDeps, queue: WebhookQueue, decide: Decide, context?: CallContext) =>
  queue.inTurn(async () => {
    const { companyId } = queue;
    const { clock, feed } = deps;
    const now = clock.now();
    const outcome = await decideStep<webhooks.WebhooksState, webhooks.WebhookRejection>(deps, {
      stream: webhooksStream(companyId),
      context: context ?? systemContext('worker', now, companyId),
      fold: webhooksFold,
      store: { get: () => feed.stateOf(companyId), put: (_, loaded) => feed.put(companyId, loaded) },
      fromMemory: true,
      decide: (state) => decide(state, now),
    });
    return outcome.kind === 'appended';
  });

/** Claims the webhook and sends its notices in order, up to the first that is not accepted. Undefined: nothing was to be done. */
export async function deliver(deps: DeliverDeps, queue: WebhookQueue): Promise<Delivered | undefined> {
  const { webhookId } = queue.webhook;
  const { clock } = deps;
  if (queue.notices.length === 0 || webhooks.freeFrom(queue.webhook) > clock.now()) return undefined;
  if (!(await append(deps, queue, (state, now) => webhooks.decideClaim(webhookId, state, now))))
    return undefined;
  // The claim has read on: another worker may have delivered some of them.
  await deps.feed.align(queue);
  const { claimedUntil } = queue.webhook;
  const outcome = await send(deps, queue);
  const context = systemContext('worker', clock.now(), queue.companyId);
  const record: Decide = (state, now) =>
    webhooks.recordDelivery({ webhookId, claimedUntil, ...outcome }, state, now);
  await untilAccepted(() => append(deps, queue, record, context), deps);
  queue.alignedTo = outcome.delivered ?? queue.alignedTo;
  const disabled = queue.webhook.status === 'disabled';
  return { count: outcome.count, problem: outcome.problem, disabled };
}

/** Of its messages: the secret of now, and for a time after a rotation the one before. */
export function secretsOf(
  { clock, secretOf }: Pick<DeliverDeps, 'clock' | 'secretOf'>,
  { companyId, webhook }: Pick<WebhookQueue, 'companyId' | 'webhook'>,
): readonly [string, ...string[]] {
  const { webhookId, generation, previousUntil } = webhook;
  const hasTwo = previousUntil !== null && Date.parse(previousUntil) > clock.now();
  const secret = (each: number): string => secretOf({ companyId, webhookId }, each);
  return [secret(generation), ...(hasTwo ? [secret(generation - 1)] : [])];
}

type Sent = Omit<webhooks.DeliveryOutcome, 'webhookId' | 'claimedUntil'>;

async function send(deps: DeliverDeps, queue: WebhookQueue): Promise<Sent> {
  const { clock, signal } = deps;
  const { notices, webhook } = queue;
  const { call, most } = callsOf(deps, queue);
  const last = clock.now() + maxBatchMs;
  // Where nothing is left, the claim ends by what was delivered before.
  let sent: Sent = { count: 0, delivered: notices.length === 0 ? webhook.delivered : null, problem: null };
  for (let notice = notices[0]; notice !== undefined; notice = notices[0]) {
    const { stream, revision } = notice;
    const answer = await call(notice);
    if (!answer.accepted) return { ...sent, problem: answer.problem };
    // Another worker's delivery may have taken it away.
    if (notices[0] === notice) notices.shift();
    sent = { count: sent.count + 1, delivered: { stream, revision }, problem: null };
    if (sent.count === most || clock.now() >= last || signal.aborted) break;
  }
  return sent;
}

type Call = (notice: Notice) => Promise<WebhookAnswer>;

/** E-mails are recorded one by one: a person shall not get them twice. */
function callsOf(deps: DeliverDeps, queue: WebhookQueue): { readonly call: Call; readonly most: number } {
  const address = webhooks.addressOf(queue.webhook);
  return address === undefined
    ? { call: postOf(deps, queue), most: maxBatch }
    : { call: mailOf(deps, queue, address), most: 1 };
}

function postOf(deps: DeliverDeps, queue: WebhookQueue): Call {
  const { clock, sender } = deps;
  const { url } = queue.webhook;
  const secrets = secretsOf(deps, queue);
  return ({ id, body }) => sender.send({ url, id, body, timestamp: clock.now(), secrets });
}

function mailOf({ clock, notify }: DeliverDeps, { webhook }: WebhookQueue, address: string): Call {
  const last = Date.parse(webhook.claimedUntil ?? '') - recordMarginMs;
  const mayLeave = (): boolean => clock.now() < last;
  return async ({ id, notification }) =>
    notification === undefined
      ? { accepted: true }
      : notify({ address, id, notification, date: clock.now(), mayLeave });
}

export async function moveOn(deps: DeliverDeps, queue: WebhookQueue): Promise<void> {
  const now = deps.clock.now();
  const { webhook } = queue;
  const isDue = now - (queue.recordedAt ??= now) >= moveOnAfterMs && webhooks.freeFrom(webhook) <= now;
  if (!isDue) return;
  await deps.feed.align(queue);
  const { seen, notices } = queue;
  if (seen === undefined || notices.length > 0 || queue.isFull) return;
  const { webhookId, claimedUntil } = webhook;
  const outcome = { webhookId, claimedUntil, count: 0, delivered: seen, problem: null };
  // The place of another worker's delivery meanwhile is later, and stays.
  const record: Decide = (state, at) =>
    state.webhooks.get(webhookId) === webhook
      ? webhooks.recordDelivery(outcome, state, at)
      : { kind: 'nothing' };
  if (await append(deps, queue, record)) queue.recordedAt = now;
}
