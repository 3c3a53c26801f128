import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';

const READER_CHECK_MS = 60_000;

/** What all stores share of an LMDB environment. */
export interface OpenedStore<V> {
  readonly folder: string;
  readonly root: RootDatabase<V, string>;
  isOpen(): boolean;
  /** Nobody may read any more: the library must not close the file under a reader. */
  close(): Promise<void>;
}

interface StoreOptions extends Omit<RootDatabaseOptionsWithPath, 'path'> {
  /** One that is there, by its real path. */
  readonly folder: string;
  /** False where a power cut may take the store: commits are not synced. */
  readonly sync: boolean;
}

/**
 * Opens an environment and, by `databases`, what is in it; nothing stays open where that throws. Commits are synced before they
 * resolve and are not overlapped: otherwise another process could act on what a power cut takes back.
 */
export async function openLmdbStore<V, S extends object>(
  { folder, sync, ...others }: StoreOptions,
  databases: (root: RootDatabase<V, string>) => S,
): Promise<OpenedStore<V> & S> {
  const root = open<V, string>({
    path: folder,
    // Otherwise a dot in the name would make it a file.
    noSubdir: false,
    overlappingSync: false,
    noSync: !sync,
    // With it a commit that fails, as on a full disk, rejects a promise that the library keeps to itself.
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
