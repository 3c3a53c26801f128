import { resolve } from 'node:path';
import {
  ACK_DEADLINE_MS,
  checkBody,
  checkMaxUnsettled,
  QueueUnavailable,
  systemClock,
  type Clock,
  type Queue,
} from '@rollcall/application';
import { HintFolder } from './hint-folder.js';
import { Hints, type Owner } from './hints.js';

export interface EmbeddedQueueOptions {
  /** A folder of its own, created if missing. Processes of one host may share it. */
  readonly folder: string;
  readonly ackDeadlineMs?: number;
  readonly clock?: Clock;
}

const shared = new Map<string, Hints>();

/** The in-memory queue (docs/queue.md): what a killed process held is lost. `QueueUnavailable` for an unusable folder. */
export const openEmbeddedQueue = (options: EmbeddedQueueOptions): Promise<Queue> =>
  new Promise((opened) => opened(queueIn(options)));

function queueIn(options: EmbeddedQueueOptions): Queue {
  const { folder, ackDeadlineMs = ACK_DEADLINE_MS, clock = systemClock } = options;
  const closing = new AbortController();
  const use = <T>(work: (now: number) => T): Promise<T> =>
    new Promise((done) => {
      if (closing.signal.aborted) throw new QueueUnavailable('The queue is closed');
      done(work(clock.now()));
    });
  const owner = { ackDeadlineMs, clock, use };
  const hints = {
    imports: hintsIn(resolve(folder, 'imports'), owner),
    invitations: hintsIn(resolve(folder, 'invitations'), owner),
  };
  return {
    ackDeadlineMs,
    publish: (queue, body) =>
      use(() => {
        checkBody(body);
        hints[queue].publish(Buffer.from(body));
      }),
    consume: (queue, { signal, maxUnsettled }) => {
      checkMaxUnsettled(maxUnsettled);
      return hints[queue].consume(owner, { signal: AbortSignal.any([signal, closing.signal]), maxUnsettled });
    },
    depth: (queue) => use(() => hints[queue].depth()),
    close: () => {
      closing.abort();
      for (const queue of Object.values(hints)) queue.release(owner);
      return Promise.resolve();
    },
  };
}

function hintsIn(folder: string, owner: Owner): Hints {
  const hints = shared.get(folder) ?? new Hints(new HintFolder(folder));
  shared.set(folder, hints);
  hints.owners.add(owner);
  return hints;
}
