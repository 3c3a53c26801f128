import { join } from 'node:path';
import { Waiters } from '../../waiters.js';
import { refresh } from './read.js';
import { lastPositionOf, type LogStore } from './store.js';

export interface Follower {
  waitBeyond(after: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** An unreadable log wakes all waiters: their own reads report the cause. */
export function openFollower(store: LogStore, pollMs?: number): Follower {
  const room = new Waiters({
    hintName: `rollcall-event-log:${store.folder}`,
    file: () => join(store.folder, 'data.mdb'),
    pollMs,
    observe: () => {
      refresh(store);
      return lastPositionOf(store);
    },
  });
  store.root.on('aftercommit', () => setImmediate(() => room.changed()));
  return {
    waitBeyond: (after, signal) => room.wait((last) => last > after, signal),
    close: () => room.close(),
  };
}
