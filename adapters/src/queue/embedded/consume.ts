import { type ConsumeOptions, type Delivery, type QueueName, wholeDelay } from '@rollcall/application';

import type { QueueSession } from './session.js';
import type { TakenMessage } from './messages.js';

/** One message a pull: what nobody asked for yet stays with the queue, for whoever is free first. */
export async function* consume(
  handle: QueueSession,
  queue: QueueName,
  options: ConsumeOptions,
): AsyncGenerator<Delivery> {
  const signal = AbortSignal.any([options.signal, handle.closing]);
  const aborted = (): boolean => signal.aborted;
  const mine = new Set<TakenMessage>();
  const hasRoom = (): boolean => {
    for (const taken of mine) if (!handle.holds(taken)) mine.delete(taken);
    return mine.size < options.maxUnsettled;
  };
  while (!aborted()) {
    const taken = hasRoom() ? await handle.take(queue) : undefined;
    if (taken === undefined) {
      await handle.room.wait(
        () => hasRoom() && handle.isDue(queue),
        signal,
        () => (hasRoom() ? handle.dueIn(queue) : undefined),
      );
      continue;
    }
    if (aborted()) return await giveBack(handle, taken);
    mine.add(taken);
    yield deliveryOf(handle, taken);
  }
}

/** A queue that closes gives back by itself. */
async function giveBack(handle: QueueSession, taken: TakenMessage): Promise<void> {
  if (handle.closing.aborted) return;
  await handle.settle(taken, (now) => ({ kind: 'again', at: now }));
}

function deliveryOf(handle: QueueSession, taken: TakenMessage): Delivery {
  const gone = (): Promise<void> => handle.settle(taken, () => ({ kind: 'gone' }));
  return {
    body: taken.body,
    attempt: taken.attempt,
    ack: gone,
    term: gone,
    nak: async (delayMs) => {
      const delay = wholeDelay(delayMs);
      await handle.settle(taken, (now) => ({ kind: 'again', at: now + delay }));
    },
    working: () => handle.settle(taken, (now) => ({ kind: 'held', until: now + handle.ackDeadlineMs })),
  };
}
