import { webhooks } from '@rollcall/domain';
import { eventAt } from '../event-store/log-reading.js';
import { initialState, nextRevision } from '../event-store/load-state.js';
import type {
  DamageFinder,
  EventReader,
  EventSubscriber,
  Position,
  RecordedEvent,
  StreamAdmin,
} from '../ports/event-log.js';
import { isOutage } from '../ports/problems.js';
import { sleep as sleepByTimer, type Sleep } from '../timers.js';
import { noticeOf, noticeType, type Notice } from './notification.js';
import { WebhookQueue } from './notifier.js';
import {
  loadWebhooks,
  type Loaded,
  webhooksFold,
  webhooksPrefix,
  webhooksStream,
  type WebhookStates,
} from './webhooks.js';

/** While there are no webhooks, the log is not read. */
const lookAgainMs = 5_000;

/** Streams without notices. */
const withoutStreams = ['data-', 'payload-', 'operation-', 'survey', 'key-', 'api', 'reads-', 'refusals-'];

interface WebhookFeedDeps {
  readonly log: EventReader & EventSubscriber & DamageFinder & Pick<StreamAdmin, 'listStreams'>;
  /** A webhook has something to do. */
  readonly onWork: (queue: WebhookQueue) => void;
  /** A stream, or an event of it, cannot be read: the company's webhooks get nothing later. */
  readonly onStuck: (error: unknown, where: string) => void;
  readonly states: WebhookStates;
  readonly sleep?: Sleep;
}

/** `again`: it could not be read before. */
type Read = (again: boolean) => Promise<void>;

/** Reads the log once for all webhooks, and queues the notices of each. */
export class WebhookFeed {
  readonly #deps: WebhookFeedDeps;
  readonly #companies = new Map<number, Map<number, WebhookQueue>>();
  #round: AbortController | undefined;
  #last: Position | undefined;
  /** The end of the longest round: no change of a webhook is left in the log before it. */
  #furthest: Position | undefined;
  /** By stream, or stream and revision: what cannot be read holds no other company up. */
  readonly #unread = new Map<string, Read>();

  constructor(deps: WebhookFeedDeps) {
    this.#deps = deps;
  }

  *queues(): Iterable<WebhookQueue> {
    for (const queues of this.#companies.values()) yield* queues.values();
  }

  stateOf(companyId: number): Loaded {
    return this.#deps.states.get(webhooksStream(companyId)) ?? initialState(webhooksFold);
  }

  /** What this process appended itself need not be read back. A refresh may have read further meanwhile. */
  put(companyId: number, loaded: Loaded): void {
    this.#deps.states.put(webhooksStream(companyId), loaded);
    this.#show(companyId, this.stateOf(companyId));
  }

  #show(companyId: number, loaded: Loaded): void {
    for (const queue of this.#queuesOf(companyId))
      queue.webhook = loaded.state.webhooks.get(queue.webhook.webhookId) ?? queue.webhook;
  }

  /** Until the signal aborts. Throws in an outage; can be run again. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, sleep = sleepByTimer } = this.#deps;
    for (;;) {
      const end = await log.lastPosition();
      for await (const { stream } of log.listStreams(webhooksPrefix))
        await this.#tried(stream, () => this.#refresh(Number(stream.slice(webhooksPrefix.length))));
      this.#furthest = end;
      if (this.#companies.size > 0 || signal.aborted) break;
      await sleep(lookAgainMs, signal);
    }
    while (!signal.aborted) {
      for (const [where, read] of [...this.#unread]) await this.#tried(where, read, true);
      await this.#readRound(this.#begin(), signal);
    }
  }

  /** Has what could not be read tried again before another event is. */
  tryAgain(): void {
    if (this.#unread.size > 0) this.#round?.abort();
  }

  async #tried(where: string, read: Read, again = false): Promise<void> {
    try {
      await read(again);
      this.#unread.delete(where);
    } catch (error) {
      if (isOutage(error)) throw error;
      if (!this.#unread.has(where)) this.#deps.onStuck(error, where);
      this.#unread.set(where, read);
    }
  }

  /** Reads again what a full queue had to leave in the log. */
  makeRoom({ hasRoomAgain }: WebhookQueue): void {
    if (hasRoomAgain) this.#round?.abort();
  }

  #begin(): Position | undefined {
    const all = [...this.queues()];
    for (const queue of all) queue.readUpTo(this.#last);
    const open = all.filter(({ isFull }) => !isFull).map(({ upTo }) => upTo);
    const least = (one: Position | undefined, other: Position) =>
      one !== undefined && one < other ? one : other;
    return open.reduce(least, this.#furthest);
  }

  async #readRound(after: Position | undefined, signal: AbortSignal): Promise<void> {
    // Until an event comes: one of the round before says nothing of a queue that was full then.
    this.#last = after;
    this.#round = new AbortController();
    const options = { after, withoutStreams, signal: AbortSignal.any([signal, this.#round.signal]) };
    for await (const item of this.#deps.log.subscribeToAll(options))
      if (item.kind === 'event') await this.#see(item.event);
  }

  async #see(event: RecordedEvent): Promise<void> {
    const companyId = companyOf(event.stream);
    if (companyId !== undefined) {
      if (event.stream.startsWith(webhooksPrefix) && !this.#knows(companyId, event))
        await this.#tried(event.stream, () => this.#refresh(companyId));
      const queues = this.#queuesOf(companyId).filter((queue) => queue.wants(event));
      if (queues.length > 0) await this.#queue(event, companyId, queues);
    }
    this.#last = event.position;
    if (event.position > (this.#furthest ?? 0n)) this.#furthest = event.position;
  }

  /** Whether the state holds the event, and the queues fit it: mostly what this process appended itself. */
  #knows(companyId: number, { revision }: RecordedEvent): boolean {
    const { head, state } = this.stateOf(companyId);
    const queues = this.#queuesOf(companyId);
    const fits = ({ webhook: { webhookId, delivered }, alignedTo }: WebhookQueue): boolean =>
      state.webhooks.has(webhookId) && isSame(alignedTo, delivered);
    return nextRevision(head) > revision && queues.length === state.webhooks.size && queues.every(fits);
  }

  #queuesOf(companyId: number): readonly WebhookQueue[] {
    return [...(this.#companies.get(companyId)?.values() ?? [])];
  }

  async #queue(event: RecordedEvent, companyId: number, queues: readonly WebhookQueue[]): Promise<void> {
    const type = noticeType(event);
    const isAsked = type !== undefined && queues.some(({ webhook }) => webhook.types.includes(type));
    const where = `${event.stream}@${event.revision}`;
    await this.#tried(where, async (again) => {
      const now = again ? ((await eventAt(this.#deps.log, event.stream, event.revision)) ?? event) : event;
      const notice = isAsked ? await noticeOf(this.#deps.log, now, type) : undefined;
      if (this.#unread.has(where)) for (const queue of this.#queuesOf(companyId)) queue.isStuck = false;
      if (!again) for (const queue of queues) this.#give(queue, event, notice);
    });
    if (this.#unread.has(where)) for (const queue of queues) queue.isStuck = queue.isFull = true;
  }

  #give(queue: WebhookQueue, event: RecordedEvent, notice: Notice | undefined): void {
    queue.take(event, notice && isFor(queue.webhook, notice) ? notice : undefined);
    // The others go on from their own place: what is behind is not read before there is room.
    if (queue.isFull) this.#round?.abort();
    if (queue.notices.length > 0) this.#deps.onWork(queue);
  }

  /** Folds the company's webhooks on, and makes the queues fit. */
  async #refresh(companyId: number): Promise<void> {
    const { log, states } = this.#deps;
    await loadWebhooks(log, companyId, states);
    const loaded = this.stateOf(companyId);
    this.#show(companyId, loaded);
    const queues = this.#companies.get(companyId) ?? new Map<number, WebhookQueue>();
    this.#companies.set(companyId, queues);
    for (const id of queues.keys()) if (!loaded.state.webhooks.has(id)) queues.delete(id);
    for (const webhook of loaded.state.webhooks.values()) {
      const queue = queues.get(webhook.webhookId);
      if (queue) await this.align(queue);
      else {
        const place = await this.#placeOf(webhook);
        const made = new WebhookQueue(companyId, webhook, place);
        made.inTurn = ([...queues.values()][0] ?? made).inTurn;
        // Where it was late, rounds have passed its place: it reads on from there.
        made.isFull = place.position < (this.#last ?? place.position);
        queues.set(webhook.webhookId, made);
      }
    }
  }

  /** Drops what another worker has delivered. */
  async align(queue: WebhookQueue): Promise<void> {
    const { delivered } = queue.webhook;
    if (delivered && !isSame(queue.alignedTo, delivered))
      queue.dropUpTo((await this.#placeOf(queue.webhook)).position, delivered);
  }

  async #placeOf({ delivered }: webhooks.Webhook): Promise<RecordedEvent> {
    if (delivered === null) throw new Error('a webhook without a place');
    const { stream, revision } = delivered;
    const event = await eventAt(this.#deps.log, stream, revision);
    if (event === undefined) throw new Error(`${stream} has no event ${revision}`);
    return event;
  }
}

const isSame = (a: webhooks.EventPlace | null, b: webhooks.EventPlace | null): boolean =>
  a?.stream === b?.stream && a?.revision === b?.revision;

const isFor = (webhook: webhooks.Webhook, { type, notification }: Notice): boolean =>
  webhook.types.includes(type) && (webhooks.addressOf(webhook) === undefined || notification !== undefined);

/** Of `company-7`, `webhooks-7` and `invitation-7-12`. */
function companyOf(stream: string): number | undefined {
  const found = /^(?:company|webhooks|invitation)-(?<id>\d+)(?:-|$)/.exec(stream)?.groups?.['id'];
  return found === undefined ? undefined : Number(found);
}
