import { createHash } from 'node:crypto';
import type { ConsumerInfo, JsMsg } from 'nats';
import {
  ACK_DEADLINE_MS,
  queueNames,
  QueueRefused,
  type ConsumeOptions,
  type Delivery,
  type Queue,
  type QueueDepth,
  type QueueName,
  checkBody,
  checkMaxUnsettled,
  sleep,
} from '@rollcall/application';

import { checkNatsPrefix, parseNatsUrl } from './address.js';
import { Connection, NobodyListens, NoRoom, type Session } from './connection.js';
import { NatsDelivery } from './delivery.js';
import { namesOf, setUp, type QueueNames, type SetupOptions } from './setup.js';

export interface NatsQueueOptions {
  /** One or more servers, `nats://user:password@host:4222` or `tls://...`, separated by commas. */
  readonly url: string;
  /** Prefixes the names of streams and consumers, so that installations can share a cluster. */
  readonly streamPrefix?: string;
  /** Copies of each message in the cluster (1 by default). */
  readonly replicas?: number;
  /** An unsettled delivery is redelivered after this time (30,000 by default). */
  readonly ackDeadlineMs?: number;
  /** The longest wait for the server (5,000 by default). */
  readonly timeoutMs?: number;
  /** Over all consumers (10,000 by default). */
  readonly maxAckPending?: number;
}

/** A request lasts this long, and at most a quarter of the deadline; the library accepts no less than `LEAST_PULL_MS`. */
const PULL_MS = 5_000;
const LEAST_PULL_MS = 1_000;

/**
 * The queue on NATS JetStream (docs/queue.md). Creates and updates its streams and consumers. An absent server does not
 * prevent the start: calls fail until it answers. `QueueUnavailable` if the server refuses the user, or a stream or consumer
 * differs in a way that needs a person. `ConfigInvalid` for the URL or the prefix.
 */
export async function openNatsQueue(options: NatsQueueOptions): Promise<Queue> {
  const { streamPrefix = '' } = options;
  checkNatsPrefix(streamPrefix);
  const connection = new Connection(parseNatsUrl(options.url), {
    name: `${streamPrefix}rollcall`,
    timeoutMs: options.timeoutMs ?? 5_000,
  });
  const queue = new NatsQueue(connection, streamPrefix, {
    replicas: options.replicas ?? 1,
    ackDeadlineMs: options.ackDeadlineMs ?? ACK_DEADLINE_MS,
    maxAckPending: options.maxAckPending ?? 10_000,
  });
  try {
    await queue.begin();
  } catch (error) {
    await queue.close();
    throw error;
  }
  return queue;
}

class NatsQueue implements Queue {
  readonly ackDeadlineMs: number;
  readonly #connection: Connection;
  readonly #prefix: string;
  readonly #setup: SetupOptions;
  readonly #ready = new Map<QueueName, Promise<ConsumerInfo>>();
  readonly #closing = new AbortController();
  readonly #held = new Set<NatsDelivery>();
  /** The last message of each queue for which there was no room. */
  readonly #refused = new Map<QueueName, { body: Uint8Array; shown: { refusal: string } }>();
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, prefix: string, setup: SetupOptions) {
    this.ackDeadlineMs = setup.ackDeadlineMs;
    this.#connection = connection;
    this.#prefix = prefix;
    this.#setup = setup;
  }

  /** Throws only errors that need a person. */
  async begin(): Promise<void> {
    try {
      await Promise.all(queueNames.map((queue) => this.#isReady(queue)));
    } catch (error) {
      if (error instanceof QueueRefused) throw error;
    }
  }

  async publish(queue: QueueName, body: Uint8Array): Promise<void> {
    checkBody(body);
    const bytes = Buffer.from(body);
    const { subject, stream } = this.#names(queue);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const sent = this.#use(queue, ({ nc }) => {
      const js = nc.jetstream({ timeout: this.#connection.timeoutMs });
      return js.publish(`${subject}.${hash}`, bytes, { expect: { streamName: stream } });
    });
    await sent.catch((error: unknown) => {
      if (error instanceof NoRoom) this.#refused.set(queue, { body, shown: { refusal: error.message } });
      throw error;
    });
    if (this.#refused.get(queue)?.body === body) this.#refused.delete(queue);
  }

  consume(queue: QueueName, options: ConsumeOptions): AsyncIterable<Delivery> {
    const { maxUnsettled } = options;
    checkMaxUnsettled(maxUnsettled);
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return consume({ maxUnsettled, signal, next: (end, settled) => this.#next(queue, end, settled) });
  }

  async depth(queue: QueueName): Promise<QueueDepth> {
    const refused = this.#refused.get(queue);
    // A full stream takes other messages, where equal ones wait.
    if (refused !== undefined) await this.publish(queue, refused.body).catch(() => undefined);
    const { stream, durable } = this.#names(queue);
    const info = await this.#use(queue, async (session) =>
      (await this.#manager(session)).consumers.info(stream, durable),
    );
    const refusal = this.#refused.get(queue)?.shown;
    return { waiting: info.num_pending, unsettled: info.num_ack_pending, ...refusal };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#held].map((delivery) => delivery.nak(0)));
    await this.#connection.close();
  }

  async #next(queue: QueueName, signal: AbortSignal, settled: () => void): Promise<NatsDelivery | undefined> {
    const message = await this.#use(queue, (session, consumer) => this.#fetch(session, consumer, signal));
    if (message === undefined) return undefined;
    const delivery: NatsDelivery = new NatsDelivery(message, {
      ackDeadlineMs: this.ackDeadlineMs,
      ensureOpen: () => this.#connection.ensureOpen(),
      send: (say) => this.#connection.send(say),
      settled: () => {
        this.#held.delete(delivery);
        settled();
      },
    });
    this.#hold(delivery);
    return delivery;
  }

  /** Undefined if the request ended without a message, or the signal aborted. Throws if the server is silent. */
  async #fetch({ nc, lost }: Session, info: ConsumerInfo, signal: AbortSignal): Promise<JsMsg | undefined> {
    const ended = AbortSignal.any([signal, lost]);
    const isOver = (): boolean => ended.aborted;
    if (isOver()) return undefined;
    const consumer = nc.jetstream({ timeout: this.#connection.timeoutMs }).consumers.getPullConsumerFor(info);
    const expires = Math.min(PULL_MS, Math.max(LEAST_PULL_MS, this.ackDeadlineMs / 4));
    const messages = await consumer.fetch({ max_messages: 1, expires });
    const stop = (): void => void messages.close();
    ended.addEventListener('abort', stop, { once: true });
    let found: JsMsg | undefined;
    try {
      // Reads to the end, behind the first message, so that the library frees the request.
      for await (const message of messages) found = message;
    } finally {
      ended.removeEventListener('abort', stop);
    }
    if (found === undefined && !isOver()) await this.#connection.answers(nc);
    return found;
  }

  /** The server redelivers what is past its deadline. */
  #hold(delivery: NatsDelivery): void {
    for (const held of this.#held) if (held.heldForMs === 0) this.#held.delete(held);
    this.#held.add(delivery);
  }

  /** Creates a removed stream or consumer anew, once. */
  async #use<T>(
    queue: QueueName,
    work: (session: Session, consumer: ConsumerInfo) => Promise<T>,
  ): Promise<T> {
    const ready = this.#isReady(queue);
    const consumer = await ready;
    try {
      return await this.#connection.use((session) => work(session, consumer));
    } catch (error) {
      if (!(error instanceof NobodyListens)) throw error;
    }
    this.#forget(queue, ready);
    const anew = await this.#isReady(queue);
    return this.#connection.use((session) => work(session, anew));
  }

  #isReady(queue: QueueName): Promise<ConsumerInfo> {
    const known = this.#ready.get(queue);
    if (known !== undefined) return known;
    const ready = this.#connection.use(async (session) =>
      setUp(await this.#manager(session), this.#names(queue), this.#setup),
    );
    this.#ready.set(queue, ready);
    ready.catch(() => this.#forget(queue, ready));
    return ready;
  }

  #forget(queue: QueueName, ready: Promise<ConsumerInfo>): void {
    if (this.#ready.get(queue) === ready) this.#ready.delete(queue);
  }

  #manager({ nc }: Session) {
    return nc.jetstreamManager({ checkAPI: false, timeout: this.#connection.timeoutMs });
  }

  #names(queue: QueueName): QueueNames {
    return namesOf(this.#prefix, queue);
  }
}

interface ConsumeParts {
  readonly maxUnsettled: number;
  readonly signal: AbortSignal;
  /** Undefined if the request ended without a message. */
  readonly next: (signal: AbortSignal, settled: () => void) => Promise<NatsDelivery | undefined>;
}

/** One message per pull: the others stay in the queue for any free consumer. */
export async function* consume({ maxUnsettled, signal, next }: ConsumeParts): AsyncGenerator<Delivery> {
  const aborted = (): boolean => signal.aborted;
  const mine = new Unsettled();
  while (!aborted()) {
    await mine.room(maxUnsettled, signal);
    if (aborted()) return;
    const delivery = await next(signal, () => mine.changed());
    if (delivery === undefined) continue;
    mine.add(delivery);
    yield delivery;
  }
}

class Unsettled {
  readonly #held = new Set<NatsDelivery>();
  #change = new AbortController();

  add(delivery: NatsDelivery): void {
    this.#held.add(delivery);
  }

  changed(): void {
    this.#change.abort();
  }

  async room(max: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#change = new AbortController();
      for (const delivery of this.#held) if (delivery.heldForMs === 0) this.#held.delete(delivery);
      if (this.#held.size < max || signal.aborted) return;
      const earliest = Math.min(...[...this.#held].map((delivery) => delivery.heldForMs));
      await sleep(earliest, AbortSignal.any([signal, this.#change.signal]));
    }
  }
}
