import { createInbox, nanos, type Msg, type Subscription } from 'nats';
import { QueueUnavailable } from '@rollcall/application';
import { NobodyListens, nobodyListens, type Session } from './connection.js';
import type { QueueNames } from './setup.js';

export interface PullOptions {
  /** How long the server keeps the request. */
  readonly expiresMs: number;
  /** How much longer its answer may take. */
  readonly timeoutMs: number;
  /** What comes after the pull was cancelled. */
  readonly giveBack: (message: Msg) => void;
}

interface Settle {
  resolve(message: Msg | undefined): void;
  reject(error: Error): void;
}

const HEARTBEAT = 100;
const NOTHING_CAME: readonly number[] = [404, 408];

const refusalOf = (code: number, description: string): QueueUnavailable =>
  code === 503 || /consumer deleted/i.test(description)
    ? new NobodyListens(nobodyListens(description))
    : new QueueUnavailable(`NATS ended the request for a message: ${description}`);

/**
 * A request for one message. The server sends it to us as soon as there is one; only then it counts as delivered, and
 * not before the request was sent.
 */
export class Pull {
  /** On the clock of `performance.now()`. */
  readonly sentAt = performance.now();
  /** Undefined where the request expired or was cancelled. */
  readonly message: Promise<Msg | undefined>;
  readonly #session: Session;
  readonly #options: PullOptions;
  readonly #subscription: Subscription;
  readonly #timer: NodeJS.Timeout;
  #settle: Settle | undefined;

  constructor(session: Session, names: QueueNames, options: PullOptions) {
    this.#session = session;
    this.#options = options;
    this.message = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.message.catch(() => undefined);
    const { nc, lost } = session;
    const inbox = createInbox();
    this.#subscription = nc.subscribe(inbox, { callback: (error, message) => this.#heard(error, message) });
    const { expiresMs, timeoutMs } = options;
    this.#timer = setTimeout(
      () => this.#fail(`did not answer within ${timeoutMs} ms`),
      expiresMs + timeoutMs,
    );
    lost.addEventListener('abort', this.#onLost, { once: true });
    const request = JSON.stringify({ batch: 1, expires: nanos(expiresMs) });
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${names.stream}.${names.durable}`, request, { reply: inbox });
  }

  /** Takes the request back; what the server has sent by then goes to `giveBack`. Resolves when the server knows. */
  async cancel(): Promise<void> {
    if (this.#settle === undefined) return;
    this.#end()?.resolve(undefined);
    await this.#subscription.drain();
  }

  readonly #onLost = (): void => this.#fail('is away: the connection was lost');

  #heard(error: Error | null, message: Msg): void {
    if (this.#settle === undefined) {
      if (error === null && message.reply !== undefined) this.#options.giveBack(message);
      return;
    }
    if (error !== null) this.#fail('refused the request for a message');
    else if (message.headers === undefined || message.headers.code === 0) this.#deliver(message);
    else this.#status(message.headers.code, message.headers.description);
  }

  #deliver(message: Msg): void {
    this.#end()?.resolve(message);
    this.#subscription.unsubscribe();
  }

  #status(code: number, description: string): void {
    if (code === HEARTBEAT) return;
    const settle = this.#end();
    this.#subscription.unsubscribe();
    if (NOTHING_CAME.includes(code)) settle?.resolve(undefined);
    else settle?.reject(refusalOf(code, description));
  }

  #fail(what: string): void {
    const settle = this.#end();
    if (settle === undefined) return;
    if (!this.#session.nc.isClosed()) this.#subscription.unsubscribe();
    settle.reject(new QueueUnavailable(`NATS ${what}`));
  }

  #end(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    clearTimeout(this.#timer);
    this.#session.lost.removeEventListener('abort', this.#onLost);
    return settle;
  }
}
