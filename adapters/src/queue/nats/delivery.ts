import type { JsMsg } from 'nats';
import { type Delivery, wholeDelay } from '@rollcall/application';

import { NobodyListens } from './connection.js';

export interface DeliveryDeps {
  readonly ackDeadlineMs: number;
  /** Throws where the queue is closed. */
  readonly ensureOpen: () => void;
  /** Says something to the server; resolves when it has heard of it. */
  readonly send: (say: () => unknown) => Promise<void>;
  /** Told when the delivery no longer counts as unsettled. */
  readonly settled: () => void;
}

/**
 * A message that the server gave us. The server takes a settlement from whoever had the message before as well; so what is
 * settled behind our own deadline is not sent.
 */
export class NatsDelivery implements Delivery {
  readonly body: Uint8Array;
  readonly attempt: number;
  readonly #message: JsMsg;
  readonly #deps: DeliveryDeps;
  #until: number;
  #settled = false;

  constructor(message: JsMsg, deps: DeliveryDeps) {
    this.#message = message;
    this.body = message.data;
    this.attempt = message.info.deliveryCount;
    this.#deps = deps;
    this.#until = performance.now() + deps.ackDeadlineMs;
  }

  /** For how long nobody else can have the message; 0 where it is settled. */
  get heldForMs(): number {
    return this.#settled ? 0 : Math.max(0, this.#until - performance.now());
  }

  ack(): Promise<void> {
    return this.#end(() => this.#message.ackAck());
  }

  term(): Promise<void> {
    return this.#end(() => this.#message.term());
  }

  async nak(delayMs: number): Promise<void> {
    const delay = wholeDelay(delayMs);
    await this.#end(() => this.#message.nak(delay));
  }

  async working(): Promise<void> {
    const sentAt = performance.now();
    if (!(await this.#send(() => this.#message.working()))) return;
    // An answer behind the deadline does not say whether the server heard of it in time.
    if (this.heldForMs > 0) this.#until = sentAt + this.#deps.ackDeadlineMs;
  }

  async #end(say: () => unknown): Promise<void> {
    if (!(await this.#send(say))) return;
    this.#settled = true;
    this.#deps.settled();
  }

  /** False where it is not ours any more. */
  async #send(say: () => unknown): Promise<boolean> {
    this.#deps.ensureOpen();
    if (this.heldForMs === 0) return false;
    try {
      await this.#deps.send(say);
    } catch (error) {
      // The message is gone with its consumer.
      if (!(error instanceof NobodyListens)) throw error;
    }
    return true;
  }
}
