import { setTimeout as wait } from 'node:timers/promises';
import { openNatsQueue } from '@rollcall/adapters';
import { QueueUnavailable, type Delivery, type Queue } from '@rollcall/application';

import t, { type Test } from 'tap';
import { NatsServer } from '../servers/nats-server.js';
import { until, untilThere as callUntilThere } from '../support/until.js';
import { connectTo, skipWithoutOwnNats } from './queue.nats.support.js';
import { body, drain, holds, publish, Taker, textOf } from './queue.support.js';

const TIMEOUT_MS = 700;
const DEADLINE_MS = 3_000;

async function withServer(t: Test): Promise<{ server: NatsServer; queue: Queue }> {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  return { server, queue: await openOn(t, server) };
}

async function openOn(t: Test, server: NatsServer): Promise<Queue> {
  const queue = await openNatsQueue({ url: server.url, timeoutMs: TIMEOUT_MS, ackDeadlineMs: DEADLINE_MS });
  t.teardown(() => queue.close());
  return queue;
}

/** Rejects as an outage, and within the time that a call may take. */
async function isAway(
  t: Test,
  what: string,
  call: () => Promise<unknown>,
  withinMs = TIMEOUT_MS,
): Promise<void> {
  // Against a timer of this process: what slows the one on a busy machine slows the other.
  const late = wait(withinMs + 500, `${what} takes too long`, { ref: false });
  const outcome = await Promise.race([
    late,
    call().then(
      () => `${what} is answered`,
      (error: unknown) => error,
    ),
  ]);
  t.ok(outcome instanceof QueueUnavailable, `${what}: ${String(outcome)}`);
}

/** Repeats a call until the server is there again. */
const untilThere = <T>(call: () => Promise<T>): Promise<T> => callUntilThere(QueueUnavailable, call);

/** As the worker does: takes and acks, and begins anew when the queue was away. */
function consumeForEver(t: Test, queue: Queue): { readonly got: string[]; stop(): Promise<void> } {
  const got: string[] = [];
  const end = new AbortController();
  const { signal } = end;
  const once = async (): Promise<void> => {
    for await (const delivery of queue.consume('imports', { signal, maxUnsettled: 4 })) {
      got.push(textOf(delivery));
      await delivery.ack();
    }
  };
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await once().catch((error: unknown) => {
        if (!(error instanceof QueueUnavailable)) throw error;
      });
      await wait(50);
    }
  };
  const running = loop();
  const stop = (): Promise<void> => {
    end.abort();
    return running;
  };
  t.teardown(stop);
  return { got, stop };
}

const calls = (queue: Queue, held: Delivery): [string, () => Promise<unknown>][] => [
  ['working', () => held.working()],
  ['publish', () => queue.publish('imports', body('x'))],
  ['depth', () => queue.depth('imports')],
];

t.test('NATS in trouble', { skip: skipWithoutOwnNats }, async (t) => {
  t.test('killed and started again: calls reject meanwhile, nothing acknowledged is lost', async (t) => {
    const { server, queue } = await withServer(t);
    const consumer = consumeForEver(t, queue);
    await publish(queue, 'a');
    await until('a', () => consumer.got.includes('a'));
    await publish(queue, 'b');
    const other = await openOn(t, server);
    await other.publish('invitations', body('held'));
    const held = await new Taker(t, other, { queue: 'invitations' }).next();
    await server.kill();
    for (const [what, call] of calls(other, held)) await isAway(t, what, call);
    await isAway(t, 'consume', () => new Taker(t, other).next());
    await server.start();
    await untilThere(() => publish(queue, 'c'));
    await until('c', () => consumer.got.includes('c'));
    t.ok(
      ['a', 'b', 'c'].every((text) => consumer.got.includes(text)),
      consumer.got.join(),
    );
    // What was not acked before the kill comes again after its deadline.
    await untilThere(() => holds(t, queue, 0));
    await consumer.stop();
    await untilThere(() => held.ack());
  });

  t.test('stopped: calls reject within their deadline, and go on when it goes on', async (t) => {
    const { server, queue } = await withServer(t);
    await publish(queue, 'a');
    const held = await new Taker(t, queue).next();
    const idle = new Taker(t, queue);
    t.equal(await idle.nothing(), true);
    await server.pause();
    t.teardown(() => server.goOn());
    for (const [what, call] of calls(queue, held)) await isAway(t, what, call);
    await isAway(t, 'an idle consumer', () => idle.next(), TIMEOUT_MS + DEADLINE_MS / 4);
    const closing = await Promise.race([
      openOn(t, server).then((late) => late.close()),
      wait(5_000, 'hangs'),
    ]);
    t.not(closing, 'hangs', 'who opens and closes now is not held up');
    server.goOn();
    await untilThere(() => publish(queue, 'b'));
    const found: string[] = [];
    await untilThere(() => drain(t, queue, found));
    t.ok(found.includes('b'));
  });

  t.test('emptied while it is away: streams are made anew, consumers go on', async (t) => {
    const { server, queue } = await withServer(t);
    const consumer = consumeForEver(t, queue);
    await publish(queue, 'a');
    await until('the first message', () => consumer.got.length === 1);
    await server.kill();
    server.wipe();
    await server.start();
    await untilThere(() => publish(queue, 'b'));
    await until('b', () => consumer.got.includes('b'));
    t.strictSame([...new Set(consumer.got)], ['a', 'b']);
    t.strictSame(await queue.depth('invitations'), { waiting: 0, unsettled: 0 });
  });

  t.test('a stream or consumer that is removed while it runs is made anew', async (t) => {
    const { server, queue } = await withServer(t);
    const { jsm } = await connectTo(t, server.url);
    const consumer = consumeForEver(t, queue);
    await publish(queue, 'a');
    await until('the first message', () => consumer.got.length === 1);
    await jsm.consumers.delete('rollcall-imports', 'rollcall-imports');
    await publish(queue, 'b');
    await until('b', () => consumer.got.includes('b'));
    await jsm.streams.delete('rollcall-imports');
    await publish(queue, 'c');
    await until('c', () => consumer.got.includes('c'));
    t.ok(
      ['a', 'b', 'c'].every((text) => consumer.got.includes(text)),
      consumer.got.join(),
    );
    await consumer.stop();
    const other = await openOn(t, server);
    await publish(other, 'd');
    const held = await new Taker(t, other).next();
    await jsm.streams.delete('rollcall-imports');
    await held.ack();
    await holds(t, other, 0, { why: 'a settlement of what is gone does no harm' });
  });

  t.test('away at the start: the queue opens, refuses, and works once the server is there', async (t) => {
    const server = await NatsServer.start();
    t.teardown(() => server.stop());
    await server.kill();
    const queue = await openOn(t, server);
    await isAway(t, 'publish', () => queue.publish('imports', body('x')));
    const consumer = consumeForEver(t, queue);
    await wait(200);
    await server.start();
    await untilThere(() => publish(queue, 'a'));
    await until('a', () => consumer.got.includes('a'));
    t.strictSame([...new Set(consumer.got)], ['a']);
  });

  t.test('closed while it is away: close ends, and so does the iteration', async (t) => {
    const { server, queue } = await withServer(t);
    await publish(queue, 'a');
    const taker = new Taker(t, queue);
    await taker.next();
    t.equal(await taker.nothing(), true);
    await server.pause();
    t.teardown(() => server.goOn());
    const late = wait(5 * TIMEOUT_MS, 'late', { ref: false });
    t.equal(await Promise.race([late, queue.close()]), undefined);
    t.equal(await taker.stop(), undefined);
  });

  t.test('killed again and again under load', async (t) => {
    const { server, queue } = await withServer(t);
    const consumers = [consumeForEver(t, queue), consumeForEver(t, await openOn(t, server))];
    const published: string[] = [];
    for (let round = 0; round < 3; round++) {
      const end = performance.now() + 400;
      const kill = wait(200).then(() => server.kill());
      for (let n = 0; performance.now() < end; n++) {
        const text = `${round} ${n}`;
        const done = await publish(queue, text).then(
          () => true,
          () => false,
        );
        if (done) published.push(text);
        else await wait(20);
      }
      await kill;
      await server.start();
      await untilThere(() => publish(queue, `round ${round}`));
      published.push(`round ${round}`);
    }
    const missing = (): string[] => {
      const got = new Set(consumers.flatMap((consumer) => consumer.got));
      return published.filter((text) => !got.has(text));
    };
    await until('every message', () => missing().length === 0);
    t.ok(published.length > 10, `${published.length} were published`);
    t.strictSame(missing(), []);
  });
});
