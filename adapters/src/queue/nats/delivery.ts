import type { JsMsg } from 'nats';
import { type Delivery, wholeDelay } from '@rollcall/application';

import { NobodyListens } from './connection.js';

interface DeliveryDeps {
  readonly ackDeadlineMs: number;
  readonly ensureOpen: () => void;
  readonly send: (say: () => unknown) => Promise<void>;
  readonly settled: () => void;
}

/** The server accepts a settlement from an earlier holder too, so none is sent after our own deadline. */
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

  /** For this time no other consumer can get the message; 0 once settled. */
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
    // A late answer does not say whether the server received it before the deadline.
    if (this.heldForMs > 0) this.#until = sentAt + this.#deps.ackDeadlineMs;
  }

  async #end(say: () => unknown): Promise<void> {
    if (!(await this.#send(say))) return;
    this.#settled = true;
    this.#deps.settled();
  }

  /** False if another consumer may have the message. */
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
