import type { Database, RootDatabase } from 'lmdb';
import { usableFolder } from '../../lmdb-folder.js';
import { openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { EventLogUnavailable } from '@rollcall/application';
import { decodeLine, decodeNumber, encodeNumber, type StreamLine } from './records.js';

/** The version of the layout below. A store of a newer version is refused, not guessed at. */
export const FORMAT_VERSION = 1;

const GIB = 1024 ** 3;
/**
 * The databases in the folder. Every value is binary.
 * `meta`: `format`, and `position` of the last event. `streams`: name -> line. `revisions`: [stream, revision] -> position.
 * `events`: position -> record. `chunks`: position -> binary data, which a follower that leaves it out never touches.
 */
export interface LogStore extends OpenedStore<Buffer> {
  readonly meta: Database<Buffer, string>;
  readonly streams: Database<Buffer, string>;
  readonly revisions: Database<Buffer, [stream: string, revision: number]>;
  readonly events: Database<Buffer, number>;
  readonly pieces: Database<Buffer, number>;
}

/**
 * Opens (or creates) the store in the folder. `EventLogUnavailable`, with what to do, where the folder is not writable,
 * lies on a network disk, or was written by a newer version.
 */
export async function openStore(folder: string, sync: boolean): Promise<LogStore> {
  const path = await usableFolder(folder, {
    what: 'event log',
    unavailable: (message, cause) => new EventLogUnavailable(message, { cause }),
    mend: 'Restore it from a backup',
  });
  const options = { folder: path, sync, mapSize: 256 * GIB, maxDbs: 8, maxReaders: 1024 };
  const binary = { encoding: 'binary' } as const;
  return openLmdbStore<Buffer, Omit<LogStore, keyof OpenedStore<Buffer>>>(
    { ...options, ...binary },
    (root) => {
      const meta = root.openDB<Buffer, string>({ name: 'meta', ...binary });
      checkFormat(root, meta, folder);
      return {
        meta,
        streams: root.openDB({ name: 'streams', ...binary }),
        revisions: root.openDB({ name: 'revisions', ...binary }),
        events: root.openDB({ name: 'events', ...binary }),
        pieces: root.openDB({ name: 'pieces', ...binary }),
      };
    },
  );
}

function checkFormat(
  root: RootDatabase<Buffer, string>,
  meta: Database<Buffer, string>,
  folder: string,
): void {
  const found = root.transactionSync(() => {
    const stored = meta.get('format');
    if (stored !== undefined) return decodeNumber(stored);
    meta.putSync('format', encodeNumber(FORMAT_VERSION));
    return FORMAT_VERSION;
  });
  if (found > FORMAT_VERSION) {
    throw new EventLogUnavailable(
      `The event log in ${folder} has format ${found}; this version reads up to ${FORMAT_VERSION}: update Rollcall`,
    );
  }
}

/** The stream's line, as the current transaction sees it. */
export function lineOf(store: LogStore, stream: string): StreamLine | undefined {
  const bytes = store.streams.get(stream);
  return bytes === undefined ? undefined : decodeLine(bytes);
}

/** The position of the last event, 0 in an empty log, as the current transaction sees it. */
export function lastPositionOf(store: LogStore): number {
  const bytes = store.meta.get('position');
  return bytes === undefined ? 0 : decodeNumber(bytes);
}
