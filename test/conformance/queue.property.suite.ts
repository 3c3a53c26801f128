import { setTimeout as wait } from 'node:timers/promises';
import type { Delivery, Queue } from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import { QueueModel } from './queue.model.js';
import type { OpenFresh, QueueUnderTest } from './queue.suite.js';
import { body, textOf } from './queue.support.js';
import { scale, seed } from '../support/scale.js';

const numRuns = Math.max(5, Math.ceil(200 * scale));

type Step =
  | { readonly kind: 'publish'; readonly text: string; readonly handle: number }
  | { readonly kind: 'take'; readonly handle: number }
  | { readonly kind: 'ack' | 'term' | 'working'; readonly which: number }
  | { readonly kind: 'nak'; readonly which: number; readonly delayMs: number }
  | { readonly kind: 'pass'; readonly ms: number };

const HANDLES = 3;
const handle = fc.nat(HANDLES - 1);
const which = fc.nat(8);
const kind = <K extends Step['kind']>(...kinds: K[]) => fc.constantFrom(...kinds);
const schedules: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: kind('publish'), text: fc.constantFrom('a', 'b', 'c'), handle }),
    },
    { weight: 5, arbitrary: fc.record({ kind: kind('take'), handle }) },
    { weight: 3, arbitrary: fc.record({ kind: kind('ack', 'term', 'working'), which }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: kind('nak'), which, delayMs: fc.constantFrom(0, 1, 10_000, 50_000) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kind('pass'), ms: fc.constantFrom(1, 9_999, 15_000, 30_000) }),
    },
  ),
  { minLength: 5, maxLength: 80 },
);

interface Taken {
  readonly text: string;
  readonly delivery: Delivery;
  /** The number of the step. */
  readonly begun: number;
}

/** One schedule, on the queue and on the model side by side. */
class Run {
  readonly #t: Test;
  readonly #under: QueueUnderTest;
  readonly #handles: readonly Queue[];
  readonly #model: QueueModel;
  readonly #taken: Taken[] = [];
  /** For each body: the step of its last publishing, and the begin of the last delivery that settled it. */
  readonly #published = new Map<string, number>();
  readonly #answered = new Map<string, number>();
  #step = 0;

  constructor(t: Test, under: QueueUnderTest, handles: readonly Queue[]) {
    this.#t = t;
    this.#under = under;
    this.#handles = handles;
    this.#model = new QueueModel(under.ackDeadlineMs);
  }

  async all(schedule: readonly Step[]): Promise<void> {
    for (const step of schedule) {
      this.#step += 1;
      await this.#do(step);
      this.#same(await this.#handle(0).depth('imports'), this.#model.depth, `after step ${this.#step}`);
    }
    await this.#drain();
    for (const [text, at] of this.#published) {
      if ((this.#answered.get(text) ?? -1) <= at) throw new Error(`${text} of step ${at} was never answered`);
    }
  }

  async #do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'publish':
        this.#published.set(step.text, this.#step);
        this.#model.publish(step.text);
        return this.#handle(step.handle).publish('imports', body(step.text));
      case 'pass':
        this.#model.now += step.ms;
        return this.#under.pass(step.ms);
      case 'take':
        return this.#take(this.#handle(step.handle));
      case 'ack':
      case 'term':
      case 'working':
      case 'nak':
        return this.#settle(step);
    }
  }

  async #take(queue: Queue): Promise<void> {
    const due = this.#model.isDue();
    const end = new AbortController();
    const consuming = queue.consume('imports', { signal: end.signal, maxUnsettled: 1 });
    const iterator = consuming[Symbol.asyncIterator]();
    const next = iterator.next();
    if (!due) await wait(2);
    if (!due) end.abort();
    const result = await next;
    end.abort();
    this.#same(result.done === true, !due, 'whether something came');
    if (result.done === true) return;
    const { value } = result;
    const text = textOf(value);
    this.#model.take(value, text, value.attempt);
    this.#taken.push({ text, delivery: value, begun: this.#step });
  }

  async #settle(step: Extract<Step, { readonly which: number }>): Promise<void> {
    const one = this.#taken.at(-1 - step.which);
    if (one === undefined) return;
    if (step.kind === 'nak') {
      this.#model.nak(one.delivery, step.delayMs);
      return one.delivery.nak(step.delayMs);
    }
    if (step.kind === 'working') this.#model.working(one.delivery);
    else if (this.#model.ack(one.delivery)) {
      this.#answered.set(one.text, Math.max(one.begun, this.#answered.get(one.text) ?? -1));
    }
    return one.delivery[step.kind]();
  }

  async #drain(): Promise<void> {
    this.#step += 1;
    await this.#do({ kind: 'pass', ms: 100_000 });
    while (this.#model.isDue()) {
      await this.#do({ kind: 'take', handle: 0 });
      await this.#do({ kind: 'ack', which: 0 });
    }
    this.#same(await this.#handle(1).depth('imports'), { waiting: 0, unsettled: 0 }, 'in the end');
  }

  #handle(number: number): Queue {
    const queue = this.#handles[number];
    if (queue === undefined) throw new Error('There is no such handle');
    return queue;
  }

  #same(found: unknown, expected: unknown, what: string): void {
    if (this.#t.strictSame(found, expected, what)) return;
    throw new Error(`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  }
}

export function propertyTests(t: Test, fresh: OpenFresh): void {
  t.test('any schedule of any consumers goes as in the model, and answers every publishing', async (t) => {
    t.comment(`TEST_SEED=${seed}, ${numRuns} runs`);
    const { queue, under } = await fresh(t);
    const handles = [queue, await under.open(), await under.open()];
    t.equal(handles.length, HANDLES);
    await fc.assert(
      fc.asyncProperty(schedules, (schedule) => new Run(t, under, handles).all(schedule)),
      { seed, numRuns },
    );
  });
  t.end();
}
