import {
  companyHasWork,
  workOf,
  QueueUnavailable,
  type ConsumeOptions,
  type Delivery,
  type QueueName,
} from '@rollcall/application';

export interface HandDelivery extends Delivery {
  /** `ack`, `term`, `nak 1000` or `working`, as the worker called them. */
  readonly calls: readonly string[];
  /** What it was settled with. */
  readonly settled: Promise<string>;
}

/** A queue whose deliveries the test makes by hand. It redelivers nothing. */
export class HandQueue {
  readonly ackDeadlineMs = 30_000;
  /** Companies that were told of, in order. */
  readonly published: number[] = [];
  /** The revision that each message names. */
  readonly revisions: (number | undefined)[] = [];
  readonly consumed: ConsumeOptions[] = [];
  /** What is to throw instead of doing it. */
  broken: ReadonlySet<'publish' | 'settle' | 'working'> = new Set();
  #coming: (Delivery | Error)[] = [];
  #arrived: () => void = () => undefined;
  #told: () => void = () => undefined;

  publish(_queue: QueueName, body: Uint8Array): Promise<void> {
    if (this.broken.has('publish')) return Promise.reject(new QueueUnavailable('the queue is away'));
    const work = workOf(body);
    this.published.push(work?.companyId ?? 0);
    this.revisions.push(work?.revision);
    this.#told();
    return Promise.resolve();
  }

  /** The companies that were told of, once there are so many. */
  async untilPublished(count: number): Promise<readonly number[]> {
    while (this.published.length < count)
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    return this.published;
  }

  async *consume(_queue: QueueName, options: ConsumeOptions): AsyncGenerator<Delivery> {
    const { signal } = options;
    this.consumed.push(options);
    while (!signal.aborted) {
      const next = this.#coming.shift();
      if (next instanceof Error) throw next;
      if (next) yield next;
      else await this.#something(signal);
    }
  }

  #something(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = () => {
        signal.removeEventListener('abort', this.#arrived);
        resolve();
      };
      signal.addEventListener('abort', this.#arrived);
    });
  }

  /** The consumer meets this error next. */
  fail(error: Error = new QueueUnavailable('the queue is away')): void {
    this.#put(error);
  }

  /** Delivers a message: for a company, or any bytes. */
  deliver(message: number | Uint8Array, attempt = 1): HandDelivery {
    const body = typeof message === 'number' ? companyHasWork(message, 1) : message;
    const calls: string[] = [];
    let settle: (call: string) => void = () => undefined;
    const settled = new Promise<string>((resolve) => {
      settle = resolve;
    });
    const called = (kind: 'settle' | 'working', call: string): Promise<void> => {
      calls.push(call);
      if (kind === 'settle') settle(call);
      return this.broken.has(kind) ? Promise.reject(new QueueUnavailable('away')) : Promise.resolve();
    };
    const delivery = {
      body,
      attempt,
      calls,
      settled,
      ack: () => called('settle', 'ack'),
      term: () => called('settle', 'term'),
      nak: (ms: number) => called('settle', `nak ${ms}`),
      working: () => called('working', 'working'),
    };
    this.#put(delivery);
    return delivery;
  }

  #put(next: Delivery | Error): void {
    this.#coming.push(next);
    this.#arrived();
  }
}
