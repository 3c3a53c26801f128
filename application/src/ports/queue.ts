/**
 * The queue's port: at least once, without any promise of order, and it may lose everything. Whoever consumes looks into
 * the log for what there is to do, so a message too many does no harm and one too few is sent again by the due-work loop
 * (design: "Imports in order").
 */

/** The queues of the service, each with consumers of its own. */
export const queueNames = ['imports', 'invitations'] as const;
export type QueueName = (typeof queueNames)[number];

/** An unsettled delivery is delivered again after so long, unless configured otherwise. */
export const ACK_DEADLINE_MS = 30_000;

/** Messages carry ids, never payloads. */
export const MAX_MESSAGE_BYTES = 65_536;

export interface QueuePublisher {
  /**
   * Resolves when the message is durable as far as the queue promises it; `QueueUnavailable` otherwise, and then it may
   * or may not be there. A message equal to one that waits may become one with it: what is promised is a delivery of
   * this body that begins after this call. `RangeError` above `MAX_MESSAGE_BYTES`.
   */
  publish(queue: QueueName, body: Uint8Array): Promise<void>;
}

/**
 * One delivery of a message. Without any of these calls it is delivered again after the deadline, to any consumer.
 * Each of them is harmless when the deadline has passed and somebody else has the message by now.
 */
export interface Delivery {
  readonly body: Uint8Array;
  /** 1 for the first; deliveries of the messages that became one with this may count too. */
  readonly attempt: number;
  /** Done: the message goes. */
  ack(): Promise<void>;
  /** Not now: again after so many milliseconds. */
  nak(delayMs: number): Promise<void>;
  /** Still busy: the deadline begins anew. */
  working(): Promise<void>;
  /** Never again: the message itself is wrong. */
  term(): Promise<void>;
}

export interface ConsumeOptions {
  /**
   * Ends the iteration. What was delivered can still be settled; what is not is delivered again after its deadline, or at
   * once when the queue is closed.
   */
  readonly signal: AbortSignal;
  /** How many deliveries may be unsettled at once, those past their deadline not counted; more are not fetched. */
  readonly maxUnsettled: number;
}

export interface QueueConsumer {
  /** Deliveries as they come, until the signal aborts or the queue is closed. Throws `QueueUnavailable` where the queue is away. */
  consume(queue: QueueName, options: ConsumeOptions): AsyncIterable<Delivery>;
}

export interface QueueDepth {
  /** Waiting, delayed ones included. */
  readonly waiting: number;
  /** Delivered and not settled, those past their deadline included until they are delivered again. */
  readonly unsettled: number;
}

export interface Queue extends QueuePublisher, QueueConsumer {
  /** Milliseconds until an unsettled delivery is delivered again. */
  readonly ackDeadlineMs: number;
  /** A server may count what it has just taken a moment after its answer to `publish`. */
  depth(queue: QueueName): Promise<QueueDepth>;
  /** Ends all iterations and gives back what they delivered and nobody settled. */
  close(): Promise<void>;
}

/** The queue is away: an outage. */
export class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}
