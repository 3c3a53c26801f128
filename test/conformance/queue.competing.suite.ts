import type { Delivery, Queue } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './queue.suite.js';
import { holds, publish, Taker, textOf } from './queue.support.js';

export function competingTests(t: Test, fresh: OpenFresh): void {
  t.test('several consumers share the messages: each goes to one of them', async (t) => {
    const { queue, under } = await fresh(t);
    const others = [queue, await under.open(), await under.open()];
    const texts = Array.from({ length: 120 }, (_, n) => `message ${n}`).sort();
    const end = new AbortController();
    const got: string[] = [];
    const consume = async (handle: Queue): Promise<void> => {
      for await (const delivery of handle.consume('imports', { signal: end.signal, maxUnsettled: 3 })) {
        got.push(textOf(delivery));
        await delivery.ack();
        if (got.length === texts.length) end.abort();
      }
    };
    const consuming = [...others, ...others].map(consume);
    await publish(queue, ...texts);
    await Promise.all(consuming);
    t.strictSame(got.sort(), texts);
    await holds(t, queue, 0);
  });

  t.test(
    'no more are unsettled than the consumer takes; those past their deadline do not count',
    async (t) => {
      const { queue, under } = await fresh(t);
      await publish(queue, 'a', 'b', 'c', 'd', 'e');
      const taker = new Taker(t, queue, { maxUnsettled: 2 });
      const held = [await taker.next(), await taker.next()];
      t.equal(await taker.nothing(), true);
      await held[0]?.ack();
      await taker.next();
      t.equal(await taker.nothing(), true);
      await holds(t, queue, 4);
      const other = new Taker(t, queue, { maxUnsettled: 10 });
      t.equal(new Set([await other.text(), await other.text()]).size, 2, 'the rest is for others');
      await under.pass(under.ackDeadlineMs);
      t.ok(await taker.next());
      t.ok(await taker.next());
      t.equal(await taker.nothing(), true);
    },
  );

  const late: readonly [string, (delivery: Delivery, ms: number) => Promise<void>][] = [
    ['ack', (delivery) => delivery.ack()],
    ['nak', (delivery, ms) => delivery.nak(ms * 10)],
    ['working', (delivery) => delivery.working()],
    ['term', (delivery) => delivery.term()],
  ];
  for (const [word, settle] of late) {
    t.test(`${word} from who is late does nothing to the message of another`, async (t) => {
      const { queue, under } = await fresh(t);
      await publish(queue, 'a');
      const tardy = await new Taker(t, queue).next();
      await under.pass(under.ackDeadlineMs);
      const second = new Taker(t, await under.open());
      await second.next();
      await under.pass(under.ackDeadlineMs / 2);
      await settle(tardy, under.ackDeadlineMs);
      t.equal(await second.nothing(), true, 'it is not given to a third');
      await under.pass(under.ackDeadlineMs / 2);
      const third = await second.next();
      t.equal(third.attempt, 3, 'and not lost when the second goes');
      await third.ack();
      await holds(t, queue, 0);
    });
  }
  t.end();
}
