import { setTimeout as wait } from 'node:timers/promises';
import type { Queue } from '@rollcall/application';
import t, { type Test } from 'tap';
import { openQueue } from './queue.adapters.js';
import { competingTests } from './queue.competing.suite.js';
import { crashTests, type CrashOptions } from './queue.crash.suite.js';
import { deliveryTests } from './queue.delivery.suite.js';
import { endingTests } from './queue.ending.suite.js';
import { propertyTests } from './queue.property.suite.js';

/** What the suites run against: each call of `open` is another handle on the same, at first empty, queue. */
export interface QueueUnderTest {
  readonly adapter: string;
  readonly location: string;
  readonly ackDeadlineMs: number;
  open(): Promise<Queue>;
  /** Lets so many milliseconds pass, as far as the queue can tell. */
  pass(ms: number): Promise<void>;
}

export type OpenFresh = (t: Test) => Promise<{ readonly queue: Queue; readonly under: QueueUnderTest }>;

export interface Conformance {
  readonly adapter: string;
  /** The place of a new and empty queue. */
  readonly locate: (t: Test) => string | Promise<string>;
  /** Whether the adapter takes the time as an argument: then nobody waits for it. */
  readonly time: 'manual' | 'real';
}

/** Short enough to wait for, where time is real; long enough for a busy machine. */
const REAL_DEADLINE_MS = 3_000;
const MANUAL_DEADLINE_MS = 30_000;

const freshOf =
  ({ adapter, locate, time }: Conformance): OpenFresh =>
  async (t) => {
    const ackDeadlineMs = time === 'manual' ? MANUAL_DEADLINE_MS : REAL_DEADLINE_MS;
    const location = await locate(t);
    const clock = { at: Date.parse('2026-11-21T09:00:00Z'), now: () => clock.at };
    const opened: Queue[] = [];
    const open = async (): Promise<Queue> => {
      const manual = time === 'manual' ? { clock } : {};
      const queue = await openQueue(adapter, location, { ackDeadlineMs, ...manual });
      opened.push(queue);
      return queue;
    };
    t.teardown(async () => {
      for (const queue of opened) await queue.close();
    });
    const pass = async (ms: number): Promise<void> => {
      clock.at += ms;
      if (time === 'real') await wait(ms);
    };
    return { queue: await open(), under: { adapter, location, ackDeadlineMs, open, pass } };
  };

/** The rules of the queue's port, for any adapter. */
export function queueConformance(conformance: Conformance): void {
  const { adapter, time } = conformance;
  const fresh = freshOf(conformance);
  // Where time is real they wait for it beside each other, each group on queues of its own.
  const beside = { buffered: time === 'real' };
  t.jobs = 4;
  t.test(`${adapter}: delivery`, beside, (t) => deliveryTests(t, fresh));
  t.test(`${adapter}: ending`, beside, (t) => endingTests(t, fresh));
  t.test(`${adapter}: competing consumers`, beside, (t) => competingTests(t, fresh));
  if (time === 'manual') t.test(`${adapter}: property`, { timeout: 600_000 }, (t) => propertyTests(t, fresh));
}

/** The same port, by processes that are killed and stopped. */
export function queueCrashConformance(conformance: Conformance, options: CrashOptions): void {
  t.test(`${conformance.adapter}: crash`, { timeout: 600_000 }, (t) =>
    crashTests(t, freshOf(conformance), options),
  );
}
