import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';

const READER_CHECK_MS = 60_000;

export interface OpenedStore<V> {
  readonly folder: string;
  readonly root: RootDatabase<V, string>;
  isOpen(): boolean;
  /** Call it without readers only: the library must not close the file under them. */
  close(): Promise<void>;
}

interface StoreOptions extends Omit<RootDatabaseOptionsWithPath, 'path'> {
  readonly folder: string;
  /** False: a power cut may lose the store. */
  readonly sync: boolean;
}

/** Commits are synced and not overlapped: another process must never act on data that a power cut takes back. */
export async function openLmdbStore<V, S extends object>(
  { folder, sync, ...others }: StoreOptions,
  databases: (root: RootDatabase<V, string>) => S,
): Promise<OpenedStore<V> & S> {
  const root = open<V, string>({
    path: folder,
    // A dot in the name would make it a file.
    noSubdir: false,
    overlappingSync: false,
    noSync: !sync,
    // Otherwise a failed commit rejects a promise that the library keeps.
    eventTurnBatching: false,
    ...others,
  });
  try {
    const opened = databases(root);
    root.readerCheck();
    const timer = setInterval(() => root.readerCheck(), READER_CHECK_MS).unref();
    let isOpen = true;
    const close = (): Promise<void> => {
      isOpen = false;
      clearInterval(timer);
      return root.close();
    };
    return { ...opened, folder, root, isOpen: () => isOpen, close };
  } catch (error) {
    await root.close();
    throw error;
  }
}
