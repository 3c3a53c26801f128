import { join } from 'node:path';
import {
  systemClock,
  type Clock,
  ACK_DEADLINE_MS,
  type ConsumeOptions,
  type Queue,
  type QueueName,
  checkBody,
  checkMaxUnsettled,
} from '@rollcall/application';

import { consume } from './consume.js';
import { QueueSession } from './session.js';
import { ReopenableStore } from './reopenable-store.js';
import { WaitingRoom } from '../../waiting-room.js';

export interface EmbeddedQueueOptions {
  /** A folder of its own, created where missing. One host, one pid namespace, a local disk; several processes may share it. */
  readonly folder: string;
  /** Milliseconds until an unsettled delivery is delivered again (30,000 by default). The same for all who share the folder. */
  readonly ackDeadlineMs?: number;
  /** Must be the same time for all processes that share the folder. */
  readonly clock?: Clock;
  /** How often an idle consumer looks for other processes' messages and for deadlines (ms, by default 250 where the system tells of changes of the file, and 20 where not). */
  readonly pollMs?: number;
  /** False gives durability away and is for benchmarks only. */
  readonly sync?: boolean;
}

/**
 * The queue on LMDB, with the rules of the port (docs/queue.md). A message is on disk before its publishing resolves.
 * `QueueUnavailable` where the folder cannot be used.
 */
export async function openEmbeddedQueue(options: EmbeddedQueueOptions): Promise<Queue> {
  const ackDeadlineMs = options.ackDeadlineMs ?? ACK_DEADLINE_MS;
  const live = await ReopenableStore.open(options.folder, options.sync ?? true);
  const room = new WaitingRoom({
    hintName: `rollcall-queue:${live.current.folder}`,
    file: () => join(live.current.folder, 'data.mdb'),
    pollMs: options.pollMs,
    observe: () => undefined,
  });
  const handle = new QueueSession({ live, room, clock: options.clock ?? systemClock, ackDeadlineMs });
  return {
    ackDeadlineMs,
    publish: async (queue, body) => {
      checkBody(body);
      await handle.publish(queue, Buffer.from(body));
    },
    consume: (queue: QueueName, consuming: ConsumeOptions) => {
      checkMaxUnsettled(consuming.maxUnsettled);
      return consume(handle, queue, consuming);
    },
    depth: (queue) => handle.depth(queue),
    close: () => handle.close(),
  };
}
