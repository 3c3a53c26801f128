import { setTimeout as wait } from 'node:timers/promises';
import type { Delivery, Queue, QueueName } from '@rollcall/application';
import type { Test } from 'tap';

export const body = (text: string): Uint8Array => Buffer.from(text);
export const textOf = (delivery: Delivery): string => Buffer.from(delivery.body).toString();

export const publish = (queue: Queue, ...texts: readonly string[]): Promise<unknown> =>
  Promise.all(texts.map((text) => queue.publish('imports', body(text))));

/** Longer than an idle consumer takes to see a message, on a busy machine too. */
const LOOK_MS = 150;

/** A consumer that is asked for one delivery at a time. */
export class Taker {
  readonly #iterator: AsyncIterator<Delivery>;
  readonly #end = new AbortController();
  #pending: Promise<IteratorResult<Delivery>> | undefined;

  constructor(t: Test, queue: Queue, options: { queue?: QueueName; maxUnsettled?: number } = {}) {
    const { queue: name = 'imports', maxUnsettled = 10 } = options;
    this.#iterator = queue.consume(name, { signal: this.#end.signal, maxUnsettled })[Symbol.asyncIterator]();
    t.teardown(() => this.#end.abort());
  }

  async next(): Promise<Delivery> {
    const result = await this.#pull();
    if (result.done === true) throw new Error('The iteration has ended');
    return result.value;
  }

  /** Takes the next and says what it is. */
  async text(): Promise<string> {
    return textOf(await this.next());
  }

  /** True where nothing comes; what comes later is given to `next`. */
  async nothing(): Promise<boolean> {
    this.#waiting();
    const late = wait(LOOK_MS, 'nothing' as const);
    return (await Promise.race([this.#pending, late])) === 'nothing';
  }

  /** Aborts; resolves when the iteration has ended, with the delivery that came nevertheless. */
  async stop(): Promise<Delivery | undefined> {
    this.#end.abort();
    const last = await this.#pull();
    return last.done === true ? undefined : last.value;
  }

  #waiting(): Promise<IteratorResult<Delivery>> {
    this.#pending ??= this.#iterator.next();
    return this.#pending;
  }

  #pull(): Promise<IteratorResult<Delivery>> {
    const pulled = this.#waiting();
    this.#pending = undefined;
    return pulled;
  }
}

/** Takes and acks until nothing comes any more; what came, sorted. */
export async function drain(t: Test, queue: Queue): Promise<string[]> {
  const taker = new Taker(t, queue);
  const texts: string[] = [];
  while (!(await taker.nothing())) {
    const delivery = await taker.next();
    texts.push(textOf(delivery));
    await delivery.ack();
  }
  await taker.stop();
  return texts.sort();
}

/** Everything that is in the queue, whether waiting or held. */
export async function total(queue: Queue, name: QueueName = 'imports'): Promise<number> {
  const { waiting, unsettled } = await queue.depth(name);
  return waiting + unsettled;
}
