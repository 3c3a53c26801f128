import { setTimeout as wait } from 'node:timers/promises';
import type { Queue } from '@rollcall/application';
import fc from 'fast-check';
import type { Test } from 'tap';
import { openQueue } from './queue.adapters.js';
import { CHILD_DEADLINE_MS, sayUntilKilled, startChild } from './queue.crash.js';
import type { OpenFresh, QueueUnderTest } from './queue.suite.js';
import { drain, holds, publish, Taker } from './queue.support.js';
import { scale, seed } from '../support/scale.js';

const delays = (rounds: number, max: number): number[] =>
  fc.sample(fc.integer({ min: 0, max }), { numRuns: Math.max(3, Math.ceil(rounds * scale)), seed });

type InRealTime = (t: Test) => Promise<{ readonly queue: Queue; readonly under: QueueUnderTest }>;

export interface CrashOptions {
  /** Whether a delivery outlives the process that it was made to. */
  readonly keepsDelivered: boolean;
}

export function crashTests(t: Test, fresh: OpenFresh, { keepsDelivered }: CrashOptions): void {
  t.comment(`TEST_SEED=${seed}`);
  const inRealTime: InRealTime = async (t) => {
    const { under } = await fresh(t);
    const queue = await openQueue(under.adapter, under.location, { ackDeadlineMs: CHILD_DEADLINE_MS });
    t.teardown(() => queue.close());
    return { queue, under };
  };

  t.test('what was published survives the kill -9 of its publisher', async (t) => {
    const { queue, under } = await inRealTime(t);
    const published: string[] = [];
    for (const ms of delays(30, 150)) {
      published.push(...(await sayUntilKilled(t, under, { mode: 'publish', ms })));
    }
    t.ok(published.length > 10, `${published.length} were published`);
    const found = new Set(await drain(t, queue));
    t.strictSame(
      published.filter((text) => !found.has(text)),
      [],
    );
    await holds(t, queue, 0);
  });

  if (keepsDelivered) deliveredTests(t, inRealTime);
  t.end();
}

function deliveredTests(t: Test, inRealTime: InRealTime): void {
  t.test('what a killed consumer held comes again, and nothing is lost', async (t) => {
    const { queue, under } = await inRealTime(t);
    const texts = Array.from({ length: 300 * Math.max(1, scale) }, (_, n) => `message ${n}`);
    await publish(queue, ...texts);
    const said: string[] = [];
    for (const ms of delays(30, 100)) {
      const runs = [0, 20].map((more) => sayUntilKilled(t, under, { mode: 'consume', ms: ms + more }));
      said.push(...(await Promise.all(runs)).flat());
    }
    t.ok(said.length > 0, `${said.length} were done by those who were killed`);
    await wait(CHILD_DEADLINE_MS);
    const done = new Set([...said, ...(await drain(t, queue)).map((text) => `done ${text}`)]);
    t.strictSame(
      texts.filter((text) => !done.has(`done ${text}`)),
      [],
    );
    await holds(t, queue, 0);
  });

  t.test('a killed consumer keeps its message until the deadline, not longer', async (t) => {
    const { queue, under } = await inRealTime(t);
    await publish(queue, 'a');
    const child = await startChild(t, under, 'hold');
    await child.heard('took');
    await child.kill();
    const again = await new Taker(t, queue).next();
    t.equal(again.attempt, 2);
  });

  t.test('who was stopped past the deadline takes nothing from those who have it now', async (t) => {
    const { queue, under } = await inRealTime(t);
    await publish(queue, 'a');
    const child = await startChild(t, under, 'hold');
    await child.heard('took');
    child.signal('SIGSTOP');
    const taker = new Taker(t, queue);
    const second = await taker.next();
    t.equal(second.attempt, 2);
    // A consumer's own deadline begins when it takes the message, which is behind the server's on a busy machine.
    await wait(CHILD_DEADLINE_MS);
    child.tell();
    child.signal('SIGCONT');
    await child.heard('acked');
    const third = await taker.next();
    t.equal(third.attempt, 3, 'the message is still there when the second lets it go');
    await third.ack();
    await holds(t, queue, 0);
    await child.kill();
  });
}
