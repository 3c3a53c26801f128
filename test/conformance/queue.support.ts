import { setTimeout as wait } from 'node:timers/promises';
import { within, type Delivery, type Queue, type QueueName } from '@rollcall/application';
import type { Test } from 'tap';

export const body = (text: string): Uint8Array => Buffer.from(text);
export const textOf = (delivery: Delivery): string => Buffer.from(delivery.body).toString();

export const publish = (queue: Queue, ...texts: readonly string[]): Promise<unknown> =>
  Promise.all(texts.map((text) => queue.publish('imports', body(text))));

/** Longer than an idle consumer takes to see a message, unless the machine is busy. */
const LOOK_MS = 150;
/** Longer than a message takes to come again from whoever held it, on a busy machine too. */
const NEXT_MS = 20_000;

const nothingCame = (ms: number): Error => new Error(`No message came within ${ms} ms`);

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

  /** Throws where a message that is to come is lost. */
  async next(): Promise<Delivery> {
    const result = await within(this.#pull(), NEXT_MS, nothingCame);
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
    const last = await within(this.#pull(), NEXT_MS, nothingCame);
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

/**
 * Takes and acks until the queue is empty, what others hold included: silence alone may be a busy machine. What came,
 * sorted; it is put into `texts` as it comes.
 */
export async function drain(t: Test, queue: Queue, texts: string[] = []): Promise<string[]> {
  const taker = new Taker(t, queue);
  while (!(await taker.nothing()) || (await total(queue)) > 0) {
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

/**
 * The queue holds as many, waiting or taken. A server may count a message a moment after it has answered that it took it:
 * what is counted wrong is asked again.
 */
export async function holds(
  t: Test,
  queue: Queue,
  expected: number,
  { of = 'imports', why = '' }: HoldsOptions = {},
): Promise<void> {
  const deadline = performance.now() + NEXT_MS;
  let found = await total(queue, of);
  while (found !== expected && performance.now() < deadline) {
    await wait(20);
    found = await total(queue, of);
  }
  t.equal(found, expected, why || `${of} holds ${expected}`);
}

interface HoldsOptions {
  readonly of?: QueueName;
  readonly why?: string;
}
