import { setTimeout as wait } from 'node:timers/promises';
import type { Delivery, Queue, QueueName } from '@rollcall/application';
import type { Roll } from '../faults/caller.js';

const longestDelayMs = 400;

/** A queue as bad as its port allows: it loses, doubles, delays and reorders messages, on the way in and on the way out. */
export function chaoticQueue(queue: Queue, roll: Roll): Queue {
  return {
    ackDeadlineMs: queue.ackDeadlineMs,
    depth: (name) => queue.depth(name),
    close: () => queue.close(),
    publish: (name, body) => publishBadly(queue, roll, { name, body }),
    consume: (name, options) => deliverBadly(queue.consume(name, options), roll),
  };
}

async function publishBadly(
  queue: Queue,
  roll: Roll,
  { name, body }: { readonly name: QueueName; readonly body: Uint8Array },
): Promise<void> {
  const fate = roll(6);
  if (fate === 0) return;
  await queue.publish(name, body);
  if (fate === 1) await queue.publish(name, body);
}

/** A delivery that came before its turn, or comes a second time; settling one that is over does no harm. */
async function* deliverBadly(deliveries: AsyncIterable<Delivery>, roll: Roll): AsyncGenerator<Delivery> {
  let held: Delivery | undefined;
  for await (const delivery of deliveries) {
    const fate = roll(8);
    if (fate === 0) await delivery.ack();
    else if (fate === 1 && !held) held = delivery;
    else {
      if (fate === 2) await wait(roll(longestDelayMs));
      yield delivery;
      if (fate === 3) yield delivery;
      if (held) yield held;
      held = undefined;
    }
  }
}
