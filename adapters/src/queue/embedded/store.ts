import type { Database } from 'lmdb';
import { usableFolder } from '../../lmdb-folder.js';
import { openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { QueueUnavailable } from '@rollcall/application';

/** The version of the layout below. A queue of a newer version is refused, not guessed at. */
export const FORMAT_VERSION = 1;

const MEND =
  'The queue holds nothing but reminders: remove its folder while no process uses it, and what is to do is found again ' +
  'from the event log';

const GIB = 1024 ** 3;

/**
 * The databases in the folder. `numbers`: `format`, and `message`, the last message's number. `messages`: number ->
 * record. `due`: every message by the time at which it may be delivered (again). `waiting`: of the messages that nobody
 * holds, the number by the SHA-256 of its body; so there is one at most of each body.
 */
export interface QueueStore extends OpenedStore<Buffer> {
  readonly numbers: Database<number, 'format' | 'message'>;
  readonly messages: Database<Buffer, number>;
  readonly due: Database<number, [queue: string, dueAt: number, message: number]>;
  readonly waiting: Database<number, [queue: string, bodyHash: string]>;
}

/**
 * Opens (or creates) the queue's folder. `QueueUnavailable`, with what to do, where it is not writable, lies on a network
 * disk, is damaged, or was written by a newer version.
 */
export async function openStore(folder: string, sync: boolean): Promise<QueueStore> {
  const path = await usableFolder(folder, {
    what: 'queue',
    unavailable: (message, cause) => new QueueUnavailable(message, { cause }),
    mend: MEND,
  });
  try {
    return await openIn(path, sync);
  } catch (cause) {
    if (cause instanceof QueueUnavailable) throw cause;
    throw new QueueUnavailable(`The queue in ${folder} cannot be opened. ${MEND}`, { cause });
  }
}

function openIn(folder: string, sync: boolean): Promise<QueueStore> {
  const options = { folder, sync, mapSize: 16 * GIB, maxDbs: 8, maxReaders: 1024 };
  const binary = { encoding: 'binary' } as const;
  return openLmdbStore<Buffer, Omit<QueueStore, keyof OpenedStore<Buffer>>>(
    { ...options, ...binary },
    (root) => {
      const json = { encoding: 'json' } as const;
      const numbers = root.openDB<number, 'format' | 'message'>({ name: 'numbers', ...json });
      checkFormat(numbers, folder);
      return {
        numbers,
        messages: root.openDB({ name: 'messages', ...binary }),
        due: root.openDB({ name: 'due', ...json }),
        waiting: root.openDB({ name: 'waiting', ...json }),
      };
    },
  );
}

function checkFormat(numbers: Database<number, 'format' | 'message'>, folder: string): void {
  const found = numbers.transactionSync(() => {
    const stored = numbers.get('format');
    if (stored === undefined) numbers.putSync('format', FORMAT_VERSION);
    return stored ?? FORMAT_VERSION;
  });
  if (found > FORMAT_VERSION) {
    throw new QueueUnavailable(
      `The queue in ${folder} has format ${found}; this version reads up to ${FORMAT_VERSION}: update Rollcall`,
    );
  }
}
