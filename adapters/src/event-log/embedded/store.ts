import { open as openEnvironment, type Database, type RootDatabase } from 'lmdb';
import { usableFolder } from '../../lmdb-folder.js';
import { EventLogUnavailable } from '@rollcall/application';
import { decodeLine, decodeNumber, encodeNumber, type StreamLine } from './records.js';

/** The version of the layout below. A store of a newer version is refused, not guessed at. */
export const FORMAT_VERSION = 1;

const GIB = 1024 ** 3;
const READER_CHECK_MS = 60_000;
/**
 * The databases in the folder. Every value is binary.
 * `meta`: `format`, and `position` of the last event. `streams`: name -> line. `revisions`: [stream, revision] -> position.
 * `events`: position -> record. `chunks`: position -> binary data, which a follower that leaves it out never touches.
 */
export interface LogStore {
  readonly folder: string;
  readonly root: RootDatabase<Buffer, string>;
  readonly meta: Database<Buffer, string>;
  readonly streams: Database<Buffer, string>;
  readonly revisions: Database<Buffer, [stream: string, revision: number]>;
  readonly events: Database<Buffer, number>;
  readonly pieces: Database<Buffer, number>;
  close(): Promise<void>;
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
  // With overlappingSync another process could act on an event that a power cut takes back.
  const root = openEnvironment<Buffer, string>({
    path,
    noSubdir: false,
    overlappingSync: false,
    eventTurnBatching: false,
    noSync: !sync,
    mapSize: 256 * GIB,
    maxDbs: 8,
    maxReaders: 1024,
    encoding: 'binary',
  });
  try {
    const meta = root.openDB<Buffer, string>({ name: 'meta', encoding: 'binary' });
    checkFormat(root, meta, folder);
    root.readerCheck();
    const timer = setInterval(() => root.readerCheck(), READER_CHECK_MS).unref();
    return {
      folder: path,
      root,
      meta,
      streams: root.openDB({ name: 'streams', encoding: 'binary' }),
      revisions: root.openDB({ name: 'revisions', encoding: 'binary' }),
      events: root.openDB({ name: 'events', encoding: 'binary' }),
      pieces: root.openDB({ name: 'pieces', encoding: 'binary' }),
      close: async () => {
        clearInterval(timer);
        await root.close();
      },
    };
  } catch (error) {
    await root.close();
    throw error;
  }
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
