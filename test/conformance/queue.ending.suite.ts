import { QueueUnavailable } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './queue.suite.js';
import { body, holds, publish, Taker, textOf } from './queue.support.js';

export function endingTests(t: Test, fresh: OpenFresh): void {
  t.test('an iteration that is aborted ends, idle or not; before its beginning too', async (t) => {
    const { queue } = await fresh(t);
    const idle = new Taker(t, queue);
    t.equal(await idle.nothing(), true);
    t.equal(await idle.stop(), undefined);
    t.equal(await idle.stop(), undefined);
    await publish(queue, 'a');
    t.equal(await new Taker(t, queue).stop(), undefined);
    const busy = new Taker(t, queue);
    await busy.next();
    t.equal(await busy.stop(), undefined);
  });

  t.test('a delivery outlives its iteration: it can be settled, and comes again if it is not', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a', 'b');
    const taker = new Taker(t, queue);
    const [settled, left] = [await taker.next(), await taker.next()];
    await taker.stop();
    await settled.ack();
    const second = new Taker(t, queue);
    t.equal(await second.nothing(), true);
    await under.pass(under.ackDeadlineMs);
    const again = await second.next();
    t.strictSame(again.body, left.body);
    await again.ack();
    await holds(t, queue, 0);
  });

  t.test('who waits in vain and goes takes nothing along', async (t) => {
    const { queue, under } = await fresh(t);
    const acked: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      const taker = new Taker(t, queue);
      if (turn % 2 === 0) await taker.nothing();
      const [last] = await Promise.all([taker.stop(), publish(queue, `${turn}`)]);
      if (last === undefined) continue;
      acked.push(textOf(last));
      await last.ack();
    }
    const rest = new Taker(t, await under.open());
    while (acked.length < 20) {
      const delivery = await rest.next();
      acked.push(textOf(delivery));
      await delivery.ack();
    }
    t.equal(new Set(acked).size, 20);
    await holds(t, queue, 0);
  });

  t.test('a queue that closes gives back what it holds, at once', async (t) => {
    const { queue, under } = await fresh(t);
    const other = await under.open();
    await publish(queue, 'a', 'b', 'c');
    const taker = new Taker(t, other);
    const [one, ...two] = [await taker.next(), await taker.next(), await taker.next()];
    await one.ack();
    await other.close();
    t.equal(await taker.stop(), undefined);
    const next = new Taker(t, queue);
    const again = [await next.next(), await next.next()];
    t.strictSame(again.map((d) => d.body).sort(), two.map((d) => d.body).sort());
    for (const delivery of again) await delivery.ack();
    await holds(t, queue, 0);
  });

  t.test('a closed queue is away, the others are not', async (t) => {
    const { queue, under } = await fresh(t);
    const other = await under.open();
    await publish(queue, 'a', 'b');
    const taker = new Taker(t, queue);
    const delivery = await taker.next();
    const waiting = new Taker(t, queue);
    await waiting.next();
    t.equal(await waiting.nothing(), true);
    await Promise.all([queue.close(), queue.close()]);
    await queue.close();
    await t.rejects(queue.publish('imports', body('x')), QueueUnavailable);
    await t.rejects(queue.depth('imports'), QueueUnavailable);
    await t.rejects(delivery.ack(), QueueUnavailable);
    await t.rejects(delivery.nak(0), QueueUnavailable);
    t.equal(await waiting.stop(), undefined);
    await publish(other, 'x');
    await holds(t, other, 3);
  });
  t.end();
}
