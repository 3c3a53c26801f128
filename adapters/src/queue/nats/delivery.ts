import { nanos, type Msg } from 'nats';
import { type Delivery, wholeDelay } from '@rollcall/application';

import { NobodyListens } from './connection.js';

export interface DeliveryDeps {
  readonly ackDeadlineMs: number;
  /** Throws where the queue is closed. */
  readonly ensureOpen: () => void;
  /** Sends to the server and waits for its answer. */
  readonly request: (subject: string, payload: string) => Promise<unknown>;
  /** Notified when the delivery no longer counts as unsettled. */
  readonly settled: () => void;
}

/**
 * A message that the server gave us. The server takes a settlement from whoever had the message before as well; so what is
 * settled behind our own deadline is not sent. That deadline begins with the request that the server answered, so it
 * never ends later than the server's, however long this process was stopped.
 */
export class NatsDelivery implements Delivery {
  readonly body: Uint8Array;
  readonly attempt: number;
  readonly #reply: string;
  readonly #deps: DeliveryDeps;
  #until: number;
  #settled = false;

  /** `requestedAt` is on the clock of `performance.now()`. */
  constructor(message: Msg, requestedAt: number, deps: DeliveryDeps) {
    this.#reply = message.reply ?? '';
    this.body = message.data;
    this.attempt = deliveriesOf(this.#reply);
    this.#deps = deps;
    this.#until = requestedAt + deps.ackDeadlineMs;
  }

  /** For how long nobody else can have the message; 0 where it is settled. */
  get heldForMs(): number {
    return this.#settled ? 0 : Math.max(0, this.#until - performance.now());
  }

  ack(): Promise<void> {
    return this.#end('+ACK');
  }

  term(): Promise<void> {
    return this.#end('+TERM');
  }

  async nak(delayMs: number): Promise<void> {
    const delay = wholeDelay(delayMs);
    await this.#end(delay === 0 ? '-NAK' : `-NAK ${JSON.stringify({ delay: nanos(delay) })}`);
  }

  async working(): Promise<void> {
    const sentAt = performance.now();
    if (!(await this.#tell('+WPI'))) return;
    // An answer behind the deadline does not say whether the server heard of it in time.
    if (this.heldForMs > 0) this.#until = sentAt + this.#deps.ackDeadlineMs;
  }

  async #end(payload: string): Promise<void> {
    if (!(await this.#tell(payload))) return;
    this.#settled = true;
    this.#deps.settled();
  }

  /** False where it is not ours any more. */
  async #tell(payload: string): Promise<boolean> {
    this.#deps.ensureOpen();
    if (this.heldForMs === 0) return false;
    try {
      await this.#deps.request(this.#reply, payload);
    } catch (error) {
      // The message is gone with its consumer.
      if (!(error instanceof NobodyListens)) throw error;
    }
    return true;
  }
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>...`, or the same behind a domain and an account. */
function deliveriesOf(reply: string): number {
  const parts = reply.split('.');
  return Number(parts[parts.length === 9 ? 4 : 6]);
}
