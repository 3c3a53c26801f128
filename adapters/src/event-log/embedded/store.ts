import type { Database } from 'lmdb';
import { readableFolder, usableFolder, type FolderRole } from '../../lmdb-folder.js';
import { openLmdbStore, type OpenedStore } from '../../lmdb-store.js';
import { EventLogUnavailable } from '@rollcall/application';
import { decodeLine, decodeNumber, encodeNumber, type StreamLine } from './records.js';

/** Of the layout below. A newer version's store is refused. */
export const FORMAT_VERSION = 1;

const GIB = 1024 ** 3;
/**
 * The databases; all values are binary. `meta`: `format`, and `position` of the last event. `streams`: name -> line.
 * `revisions`: [stream, revision] -> position. `events`: position -> record. `chunks` (under its old stored name):
 * position -> binary data, which subscriptions may leave out.
 */
export interface LogStore extends OpenedStore<Buffer> {
  readonly meta: Database<Buffer, string>;
  readonly streams: Database<Buffer, string>;
  readonly revisions: Database<Buffer, [stream: string, revision: number]>;
  readonly events: Database<Buffer, number>;
  readonly chunks: Database<Buffer, number>;
  readonly lockMs: number;
  readonly overdue: Set<Promise<unknown>>;
}

export interface LogStoreOptions {
  readonly sync: boolean;
  readonly lockMs?: number | undefined;
  /** Reads a folder that need not be writable; nothing is written to the data. */
  readonly readOnly?: boolean | undefined;
}

const LOCK_MS = 10_000;

export const logRole: FolderRole = {
  what: 'event log',
  unavailable: (message, cause) => new EventLogUnavailable(message, { cause }),
  mend: 'Restore it from a backup',
};

/** `EventLogUnavailable`, with what to do, for a folder that is read-only, on a network disk, or of a newer version. */
export async function openStore(
  folder: string,
  { sync, lockMs = LOCK_MS, readOnly = false }: LogStoreOptions,
): Promise<LogStore> {
  const path = await (readOnly ? readableFolder : usableFolder)(folder, logRole);
  const options = { folder: path, sync, readOnly, mapSize: 256 * GIB, maxDbs: 8, maxReaders: 1024 };
  const binary = { encoding: 'binary' } as const;
  return openLmdbStore<Buffer, Omit<LogStore, keyof OpenedStore<Buffer>>>(
    { ...options, ...binary },
    (root) => {
      const meta = root.openDB<Buffer, string>({ name: 'meta', ...binary });
      checkFormat(meta, folder);
      return {
        lockMs,
        overdue: new Set<Promise<unknown>>(),
        meta,
        streams: root.openDB({ name: 'streams', ...binary }),
        revisions: root.openDB({ name: 'revisions', ...binary }),
        events: root.openDB({ name: 'events', ...binary }),
        chunks: root.openDB({ name: 'pieces', ...binary }),
      };
    },
  );
}

function checkFormat(meta: Database<Buffer, string>, folder: string): void {
  const stored = meta.get('format');
  const found = stored === undefined ? FORMAT_VERSION : decodeNumber(stored);
  if (stored === undefined) meta.putSync('format', encodeNumber(FORMAT_VERSION));
  if (found > FORMAT_VERSION) {
    throw new EventLogUnavailable(
      `The event log in ${folder} has format ${found}; this version reads up to ${FORMAT_VERSION}: update Rollcall`,
    );
  }
}

export function lineOf(store: LogStore, stream: string): StreamLine | undefined {
  const bytes = store.streams.get(stream);
  return bytes === undefined ? undefined : decodeLine(bytes);
}

/** 0 in an empty log; as seen by the current transaction. */
export function lastPositionOf(store: LogStore): number {
  const bytes = store.meta.get('position');
  return bytes === undefined ? 0 : decodeNumber(bytes);
}
