import { join } from 'node:path';
import { WaitingRoom } from '../../waiting-room.js';
import { refresh } from './read.js';
import { lastPositionOf, type LogStore } from './store.js';

/** Tells those who wait that the log has grown. */
export interface Follower {
  /** Resolves when the last position is beyond `after`, or when the signal aborts. */
  waitBeyond(after: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** A follower of what this and other processes commit. A log that cannot be read wakes everybody: their own reading tells why. */
export function openFollower(store: LogStore, pollMs?: number): Follower {
  const room = new WaitingRoom({
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
