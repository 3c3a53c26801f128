/** At least once, unordered, and it may lose everything: consumers look in the log for work (design: "Imports in order"). */

export const queueNames = ['imports', 'invitations'] as const;
export type QueueName = (typeof queueNames)[number];

/** The default; an unsettled delivery is delivered again after it. */
export const ACK_DEADLINE_MS = 30_000;

/** Messages carry ids, never payloads. */
export const MAX_MESSAGE_BYTES = 65_536;

export interface QueuePublisher {
  /**
   * Resolves when the message is as durable as the queue promises; after `QueueUnavailable` it may or may not be there. Equal waiting
   * messages may become one: promised is one delivery of this body that begins after this call. `RangeError` above `MAX_MESSAGE_BYTES`.
   */
  publish(queue: QueueName, body: Uint8Array): Promise<void>;
}

/**
 * Unsettled, it is delivered again after the deadline: by NATS to any consumer, by the embedded queue to one of the same
 * process, so a killed process loses its deliveries. Settling it late is harmless.
 */
export interface Delivery {
  readonly body: Uint8Array;
  /** From 1; deliveries of messages that became one with this may count too. */
  readonly attempt: number;
  ack(): Promise<void>;
  /** Delivers it again after the delay. */
  nak(delayMs: number): Promise<void>;
  /** The deadline starts anew. */
  working(): Promise<void>;
  /** The message itself is wrong: never deliver it again. */
  term(): Promise<void>;
}

export interface ConsumeOptions {
  /** Ends the iteration. Delivered messages can still be settled; others are delivered again. */
  readonly signal: AbortSignal;
  /** Fetches no more while this many deliveries are unsettled, expired ones not counted. */
  readonly maxUnsettled: number;
}

export interface QueueConsumer {
  /** Deliveries until the signal aborts or the queue closes. Throws `QueueUnavailable`. */
  consume(queue: QueueName, options: ConsumeOptions): AsyncIterable<Delivery>;
}

export interface QueueDepth {
  readonly waiting: number;
  /** Includes expired deliveries until they are delivered again. */
  readonly unsettled: number;
}

export interface Queue extends QueuePublisher, QueueConsumer {
  readonly ackDeadlineMs: number;
  /** A server may count a message a moment after its answer to `publish`. */
  depth(queue: QueueName): Promise<QueueDepth>;
  /** Ends all iterations and returns what is unsettled. */
  close(): Promise<void>;
}

export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}
