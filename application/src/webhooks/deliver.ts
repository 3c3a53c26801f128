import { hostname } from 'node:os';
import type { CallContext } from '@rollcall/contracts';
import { webhooks } from '@rollcall/domain';
import { decideStep, type DecideAndAppendDeps } from '../event-store/decide-and-append.js';
import { newId } from '../ports/ids.js';
import { isOutage } from '../ports/problems.js';
import type { WebhookSender } from '../ports/webhook-sender.js';
import { growingDelay } from '../timers.js';
import type { WebhookFeed } from './webhook-feed.js';
import type { WebhookQueue } from './webhook-queue.js';
import type { SecretOf } from './webhook-secrets.js';
import { webhooksFold, webhooksStream } from './webhooks.js';

const maxBatch = 100;
/** With the longest call, within the claim. */
const maxBatchMs = 30_000;
const firstWaitMs = 250;
const maxWaitMs = 5_000;
/** The place of an idle webhook is recorded this often, so that a start reads little. */
const moveOnAfterMs = 24 * 3_600_000;

export interface DeliverDeps extends DecideAndAppendDeps {
  readonly sender: WebhookSender;
  readonly secretOf: SecretOf;
  readonly feed: Pick<WebhookFeed, 'stateOf' | 'put'>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface Delivered {
  readonly count: number;
  readonly problem: string | null;
  readonly disabled: boolean;
}

const username = `system:worker@${hostname()}`;

const contextOf = (companyId: number, now: number): CallContext => ({
  companyId,
  operationId: newId(),
  userId: null,
  username,
  causationId: null,
  receivedAt: new Date(now).toISOString(),
});

type Decide = (state: webhooks.WebhooksState, now: number) => webhooks.WebhookDecision;

async function append(
  deps: DeliverDeps,
  { companyId }: WebhookQueue,
  decide: Decide,
  context?: CallContext,
): Promise<boolean> {
  const now = deps.clock.now();
  const outcome = await decideStep<webhooks.WebhooksState, webhooks.WebhookRejection>(deps, {
    stream: webhooksStream(companyId),
    context: context ?? contextOf(companyId, now),
    fold: webhooksFold,
    store: { get: () => deps.feed.stateOf(companyId), put: (_, loaded) => deps.feed.put(companyId, loaded) },
    fromMemory: true,
    decide: (state) => decide(state, now),
  });
  return outcome.kind === 'appended';
}

/** Claims the webhook and sends its notices in order, up to the first that is not accepted. Undefined: nothing was to be done. */
export async function deliver(deps: DeliverDeps, queue: WebhookQueue): Promise<Delivered | undefined> {
  const { webhookId } = queue.webhook;
  const { clock } = deps;
  if (queue.notices.length === 0 || webhooks.freeFrom(queue.webhook) > clock.now()) return undefined;
  if (!(await append(deps, queue, (state, now) => webhooks.decideClaim(webhookId, state, now))))
    return undefined;
  const outcome = await send(deps, queue);
  await record(deps, queue, (state, now) => webhooks.recordDelivery({ webhookId, ...outcome }, state, now));
  const disabled = queue.webhook.status === 'disabled';
  return { count: outcome.count, problem: outcome.problem, disabled };
}

function secretsOf(
  { clock, secretOf }: DeliverDeps,
  { companyId, webhook }: WebhookQueue,
): readonly string[] {
  const { webhookId, generation, previousUntil } = webhook;
  const hasTwo = previousUntil !== null && Date.parse(previousUntil) > clock.now();
  return [generation, ...(hasTwo ? [generation - 1] : [])].map((each) =>
    secretOf({ companyId, webhookId }, each),
  );
}

type Sent = Omit<webhooks.DeliveryOutcome, 'webhookId'>;

async function send(deps: DeliverDeps, queue: WebhookQueue): Promise<Sent> {
  const { clock, sender } = deps;
  const { notices, webhook } = queue;
  const secrets = secretsOf(deps, queue);
  const last = clock.now() + maxBatchMs;
  let sent: Sent = { count: 0, delivered: null, problem: null };
  for (let notice = notices[0]; notice !== undefined; notice = notices[0]) {
    if (sent.count === maxBatch || clock.now() >= last) break;
    const { id, body, stream, revision } = notice;
    const answer = await sender.send({ url: webhook.url, id, body, timestamp: clock.now(), secrets });
    if (!answer.accepted) return { ...sent, problem: answer.problem };
    // Another worker's delivery may have taken it away.
    if (notices[0] === notice) notices.shift();
    sent = { count: sent.count + 1, delivered: { stream, revision }, problem: null };
  }
  return sent;
}

/** Retries until the log accepts it: the messages were accepted. */
async function record(deps: DeliverDeps, queue: WebhookQueue, decide: Decide): Promise<void> {
  const context = contextOf(queue.companyId, deps.clock.now());
  for (let failures = 1; ; failures++) {
    try {
      await append(deps, queue, decide, context);
      return;
    } catch (error) {
      if (!isOutage(error)) throw error;
      await deps.wait(growingDelay(failures, firstWaitMs, maxWaitMs));
    }
  }
}

/** Records the place of an idle webhook, once a day. */
export async function moveOn(deps: DeliverDeps, queue: WebhookQueue, recordedAt: number): Promise<boolean> {
  const { seen, notices, webhook } = queue;
  const { clock } = deps;
  const isDue = clock.now() - recordedAt >= moveOnAfterMs && webhooks.freeFrom(webhook) <= clock.now();
  if (!isDue || seen === undefined || notices.length > 0 || queue.isFull) return false;
  const outcome = { webhookId: webhook.webhookId, count: 0, delivered: seen, problem: null };
  return append(deps, queue, (state, now) => webhooks.recordDelivery(outcome, state, now));
}
