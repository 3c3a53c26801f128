import { MAX_MESSAGE_BYTES } from '@rollcall/application';
import type { Test } from 'tap';
import type { OpenFresh } from './queue.suite.js';
import { body, drain, holds, publish, Taker } from './queue.support.js';

export function deliveryTests(t: Test, fresh: OpenFresh): void {
  t.test('a message comes back as it was published, once, and is gone with its ack', async (t) => {
    const { queue, under } = await fresh(t);
    const taker = new Taker(t, await under.open());
    const bodies = [
      Buffer.alloc(0),
      Buffer.from([0, 255, 10, 13]),
      Buffer.from('née 你好 🙂'),
      Buffer.alloc(MAX_MESSAGE_BYTES, 'x'),
    ];
    for (const sent of bodies) {
      await queue.publish('imports', sent);
      const delivery = await taker.next();
      t.ok(sent.equals(delivery.body), `${sent.length} bytes`);
      t.equal(delivery.attempt, 1);
      await delivery.ack();
    }
    await under.pass(under.ackDeadlineMs);
    t.equal(await taker.nothing(), true);
    t.strictSame(await queue.depth('imports'), { waiting: 0, unsettled: 0 });
  });

  t.test('the bytes are those of the call, whatever becomes of them afterwards', async (t) => {
    const { queue } = await fresh(t);
    const sent = Buffer.from('as it was');
    const publishing = queue.publish('imports', sent);
    sent.fill('!');
    await publishing;
    t.equal(await new Taker(t, queue).text(), 'as it was');
  });

  t.test('messages wait for a consumer, and a consumer for messages', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'early');
    const taker = new Taker(t, queue);
    t.equal(await taker.text(), 'early');
    t.equal(await taker.nothing(), true);
    await publish(queue, 'of the same handle');
    t.equal(await taker.text(), 'of the same handle');
    t.equal(await taker.nothing(), true);
    await publish(await under.open(), 'of another handle');
    t.equal(await taker.text(), 'of another handle');
  });

  t.test('what is published stays when everybody goes', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a', 'b');
    await queue.close();
    t.strictSame(await drain(t, await under.open()), ['a', 'b']);
  });

  t.test('the queues know nothing of each other', async (t) => {
    const { queue } = await fresh(t);
    await queue.publish('invitations', body('a letter'));
    const imports = new Taker(t, queue);
    t.equal(await imports.nothing(), true);
    t.strictSame(await queue.depth('imports'), { waiting: 0, unsettled: 0 });
    await holds(t, queue, 1, { of: 'invitations' });
    t.equal(await new Taker(t, queue, { queue: 'invitations' }).text(), 'a letter');
  });

  t.test('without a word it comes again after the deadline, and not before', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    const first = await taker.next();
    await under.pass(under.ackDeadlineMs / 2);
    t.equal(await taker.nothing(), true);
    await under.pass(under.ackDeadlineMs / 2);
    const second = await taker.next();
    t.strictSame([first.attempt, second.attempt], [1, 2]);
    await second.ack();
    await holds(t, queue, 0);
  });

  t.test('working begins the deadline anew, each time', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    const delivery = await taker.next();
    for (let turn = 0; turn < 3; turn++) {
      await under.pass(under.ackDeadlineMs * 0.6);
      await delivery.working();
      t.equal(await taker.nothing(), true);
    }
    await under.pass(under.ackDeadlineMs);
    t.equal((await taker.next()).attempt, 2);
  });

  t.test('nak gives it back at once, or after the delay and not before', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    await (await taker.next()).nak(0);
    const second = await taker.next();
    t.equal(second.attempt, 2);
    await second.nak(under.ackDeadlineMs * 2);
    await holds(t, queue, 1);
    await under.pass(under.ackDeadlineMs * 1.2);
    t.equal(await taker.nothing(), true, 'the deadline is of no matter any more');
    await under.pass(under.ackDeadlineMs * 0.8);
    t.equal((await taker.next()).attempt, 3);
  });

  t.test('term: never again', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    await (await taker.next()).term();
    await under.pass(under.ackDeadlineMs);
    t.equal(await taker.nothing(), true);
    await holds(t, queue, 0);
  });

  t.test('the first settlement counts', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a', 'b');
    const taker = new Taker(t, queue);
    const [one, two] = [await taker.next(), await taker.next()];
    await one.ack();
    await two.nak(0);
    for (const settled of [one, two]) {
      await settled.ack();
      await settled.nak(under.ackDeadlineMs * 10);
      await settled.working();
      await settled.term();
    }
    const again = await taker.next();
    t.strictSame(again.body, two.body);
    await again.ack();
    await holds(t, queue, 0);
  });

  t.test('a message published over and over while it waits takes the room of one', async (t) => {
    const { queue, under } = await fresh(t);
    const other = await under.open();
    for (let turn = 0; turn < 20; turn++) {
      await Promise.all([publish(queue, 'a', 'b', 'a'), publish(other, 'b', 'a')]);
    }
    await holds(t, queue, 2);
    t.strictSame([...new Set(await drain(t, queue))], ['a', 'b']);
    await holds(t, queue, 0);
  });

  t.test('what is published while an equal message is held comes all the same', async (t) => {
    const { queue, under } = await fresh(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    const held = await taker.next();
    await publish(queue, 'a');
    const second = await taker.next();
    await held.ack();
    await second.ack();
    await publish(queue, 'a');
    await (await taker.next()).nak(under.ackDeadlineMs * 10);
    await publish(queue, 'a');
    const third = await taker.next();
    await third.ack();
    await under.pass(under.ackDeadlineMs);
    t.equal(await taker.nothing(), true);
  });

  t.test('misuse throws', async (t) => {
    const { queue } = await fresh(t);
    await t.rejects(queue.publish('imports', Buffer.alloc(MAX_MESSAGE_BYTES + 1)), RangeError);
    await publish(queue, 'a');
    for (const maxUnsettled of [0, -1, 1.5, NaN]) {
      t.throws(
        () => queue.consume('imports', { signal: new AbortController().signal, maxUnsettled }),
        RangeError,
      );
    }
    const taker = new Taker(t, queue);
    const delivery = await taker.next();
    for (const delay of [-1, NaN, Infinity]) await t.rejects(delivery.nak(delay), RangeError);
    await delivery.ack();
    await holds(t, queue, 0, { why: 'a nak that was refused settles nothing' });
  });
  t.end();
}
