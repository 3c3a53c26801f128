import { setTimeout as pause } from 'node:timers/promises';
import {
  atMost,
  deliver,
  FailureReport,
  moveOn,
  problemOf,
  repeatedly,
  sleep as sleepByTimer,
  WebhookFeed,
  webhookSecrets,
  type Clock,
  type DeliverDeps,
  type Delivered,
  type EventLog,
  type Notify,
  type ProcessLogger,
  type Sleep,
  type StateSnapshots,
  type WebhookQueue,
  type WebhookSender,
  WebhookStates,
} from '@rollcall/application';

const lookEveryMs = 1_000;
/** One round of these is of idle webhooks too: a place of theirs is recorded daily. */
const idleRounds = 60;
/** Calls under way, in all and to one host: those that wait for one that hangs leave room for others. */
const maxInFlight = 512;
const maxToHost = 64;
const againMs = 2_000;
const message = 'webhooks cannot be delivered to';

interface WebhooksDeps {
  readonly log: EventLog;
  readonly snapshots: StateSnapshots;
  readonly digestKey: Uint8Array;
  readonly sender: WebhookSender;
  readonly notify: Notify;
  readonly clock: Clock;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly onOutcome?: (outcome: 'delivered' | 'deferred' | 'disabled', count: number) => void;
}

class WebhookRunner {
  readonly #deps: WebhooksDeps;
  readonly #inFlight = atMost(maxInFlight);
  /** As many as there are hosts of webhooks. */
  readonly #toHost = new Map<string, ReturnType<typeof atMost>>();
  readonly #failures: FailureReport;
  readonly #feed: WebhookFeed;
  readonly #delivery: DeliverDeps;
  readonly #running = new Map<WebhookQueue, Promise<void>>();

  constructor(deps: WebhooksDeps) {
    const { digestKey, logger, sleep, ...needed } = deps;
    this.#deps = deps;
    this.#failures = new FailureReport({ logger, message });
    this.#feed = new WebhookFeed({
      log: deps.log,
      states: new WebhookStates(deps),
      onWork: (queue) => this.start(queue),
      onStuck: (error, where) =>
        logger.error({ problem: problemOf(error), where }, 'webhooks stop, until it can be read'),
      ...(sleep && { sleep }),
    });
    const secretOf = webhookSecrets(digestKey);
    this.#delivery = { ...needed, feed: this.#feed, secretOf, wait: (ms) => pause(ms) };
  }

  start(queue: WebhookQueue): void {
    if (this.#running.has(queue) || this.#deps.signal.aborted) return;
    const run = this.#inTurn(queue)
      .catch((error: unknown) => this.#failures.failed(error, { companyId: queue.companyId }))
      .finally(() => this.#running.delete(queue));
    this.#running.set(queue, run);
  }

  async look(): Promise<void> {
    const { signal, sleep = sleepByTimer } = this.#deps;
    for (let round = 0; !signal.aborted; round++) {
      await sleep(lookEveryMs, signal);
      if (round % idleRounds === 0) this.#feed.tryAgain();
      for (const queue of this.#feed.queues())
        if (queue.notices.length > 0 || queue.isFull || round % idleRounds === 0) this.start(queue);
    }
    await Promise.all(this.#running.values());
  }

  read(): Promise<void> {
    return repeatedly({ ...this.#deps, message, everyMs: againMs }, () => this.#feed.run(this.#deps.signal));
  }

  async #inTurn(queue: WebhookQueue): Promise<void> {
    const { host } = new URL(queue.webhook.url);
    const toHost = this.#toHost.get(host) ?? atMost(maxToHost);
    this.#toHost.set(host, toHost);
    await toHost(() => this.#inFlight(() => this.#run(queue)));
  }

  async #run(queue: WebhookQueue): Promise<void> {
    if (this.#deps.signal.aborted) return;
    const outcome = await deliver(this.#delivery, queue);
    if (outcome === undefined) await moveOn(this.#delivery, queue);
    else report(this.#deps, queue, outcome);
    this.#feed.makeRoom(queue);
  }
}

function report(
  { logger, onOutcome }: WebhooksDeps,
  { companyId, webhook: { webhookId } }: WebhookQueue,
  { count, problem, disabled }: Delivered,
): void {
  if (count > 0) onOutcome?.('delivered', count);
  if (problem === null) return;
  onOutcome?.(disabled ? 'disabled' : 'deferred', 1);
  const which = { companyId, webhookId, problem };
  if (disabled) logger.error(which, 'a webhook is disabled after three days of failures');
  else logger.warn(which, 'a webhook has not accepted a message');
}

/** Delivers to webhooks, until the signal aborts (docs/administration.md, "Webhooks"). Recovers from errors. */
export async function runWebhooks(deps: WebhooksDeps): Promise<void> {
  const runner = new WebhookRunner(deps);
  await Promise.all([runner.look(), runner.read()]);
}
