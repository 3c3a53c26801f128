import { constants } from 'node:fs';
import { access, mkdir, open, realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { open as openEnvironment, type Database, type RootDatabase } from 'lmdb';
import { EventLogUnavailable } from '../port.js';
import { decodeLine, decodeNumber, encodeNumber, type StreamLine } from './records.js';

/** The version of the layout below. A store of a newer version is refused, not guessed at. */
export const FORMAT_VERSION = 1;

const GIB = 1024 ** 3;
const READER_CHECK_MS = 60_000;
/** `statfs` types of NFS, SMB, CIFS and SMB2: memory maps of one file differ between their hosts. */
const NETWORK_DISKS: readonly number[] = [0x6969, 0x517b, 0xff534d42, 0xfe534d42];

/** LMDB's magic number stands in the first bytes of its file, little-endian. */
const MAGIC = Buffer.from('dec0efbe', 'hex');
const MAGIC_WITHIN = 64;

/**
 * The databases in the folder. Every value is binary.
 * `meta`: `format`, and `position` of the last event. `streams`: name -> line. `revisions`: [stream, revision] -> position.
 * `events`: position -> record. `pieces`: position -> binary data, which a follower that leaves it out never touches.
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
  const path = await usableFolder(folder);
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

async function usableFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new EventLogUnavailable(`The event log's folder ${folder} is not writable for this user`, {
      cause,
    });
  }
  if (NETWORK_DISKS.includes((await statfs(folder)).type)) {
    throw new EventLogUnavailable(
      `The event log's folder ${folder} lies on a network disk: choose a local one`,
    );
  }
  await refuseForeignFile(folder);
  return realpath(folder);
}

/** LMDB itself does not survive the sight of a foreign file. */
async function refuseForeignFile(folder: string): Promise<void> {
  const beginning = Buffer.alloc(MAGIC_WITHIN);
  try {
    const file = await open(join(folder, 'data.mdb'), 'r');
    try {
      const { bytesRead } = await file.read(beginning, 0, beginning.length, 0);
      if (bytesRead === 0) return;
    } finally {
      await file.close();
    }
  } catch {
    return;
  }
  if (!beginning.includes(MAGIC)) {
    throw new EventLogUnavailable(`The file data.mdb in ${folder} is not an event log: it was left as it is`);
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
