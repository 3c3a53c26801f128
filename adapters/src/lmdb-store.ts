import { sharing } from '@rollcall/application';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { showNewest } from './lmdb-reading.js';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statfs } from 'node:fs/promises';
import { getSystemErrorMap } from 'node:util';

const READER_CHECK_MS = 60_000;
const maxRepeats = 10;

export interface OpenedStore<V> {
  readonly folder: string;
  readonly root: RootDatabase<V, string>;
  isOpen(): boolean;
  /** The one way to write. As a child, a callback that throws leaves nothing written; others in the same commit stay. */
  readonly write: <T>(work: () => T, as?: 'transaction' | 'childTransaction') => Promise<T>;
  /** Call it without readers only: the library must not close the file under them. */
  close(): Promise<void>;
}

interface StoreOptions extends Omit<RootDatabaseOptionsWithPath, 'path'> {
  readonly folder: string;
  /** False: a power cut may lose the store. */
  readonly sync: boolean;
}

/**
 * The list of free pages is kept between transactions only where one record of a 4 KiB page holds it: LMDB 3.5.6 saves a longer
 * one in part, and then loses its records by an assertion that ends the process, fails commits or damages its memory. No more
 * is read once it has 2,000 entries: with 50,000 each commit would take 65 ms.
 */
const freeList = { maxFreeSpaceToRetain: 508, maxFreeSpaceToLoad: 2_000 };

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
    ...freeList,
    ...others,
  });
  const newest = new NewestCommit(folder);
  const onNewest = transactor(folder, () => newest.ensureSeenBy(root));
  const end = async (): Promise<void> => {
    await root.close();
    newest.close();
  };
  try {
    const opened = others.readOnly
      ? databases(root)
      : await onNewest((check) => root.transactionSync(() => (check(), databases(root))));
    // Without a writable lock file a reader has no entry to check.
    const checkReaders = others.readOnly ? () => undefined : () => root.readerCheck();
    checkReaders();
    const timer = setInterval(checkReaders, READER_CHECK_MS).unref();
    let isOpen = true;
    const close = (): Promise<void> => {
      isOpen = false;
      clearInterval(timer);
      return end();
    };
    const write: OpenedStore<V>['write'] = (work, as = 'transaction') =>
      onNewest((check) => root[as](() => (check(), work())));
    return { ...opened, folder, root, write, isOpen: () => isOpen, close };
  } catch (error) {
    await end();
    throw error;
  }
}

type Transact<T> = (ensureNewest: () => void) => T | Promise<T>;

/** Runs write transactions that begin with a check; again where the newest commit was hidden, once it is shown, or LMDB gave up. */
function transactor(folder: string, ensureNewest: () => void): <T>(transact: Transact<T>) => Promise<T> {
  const show = sharing(() => showNewest(folder));
  return async (transact) => {
    for (let repeats = 0; ; repeats++)
      try {
        return await transact(ensureNewest);
      } catch (error) {
        if (repeats === maxRepeats) throw error;
        if (error instanceof CommitHidden)
          await show().catch((cause: unknown) => {
            throw new CommitHidden('The newest commit stays hidden', { cause });
          });
        else if (!(await hasGivenUp(error))) throw error;
      }
  };
}

/** LMDB's own codes are below this one; those of the system are above. */
const ownCodesBelow = -30_000;

/** LMDB 3.5.6 may give up a commit over its list of free pages, before anybody can read it. The next commit reads the list anew. */
async function hasGivenUp(error: unknown): Promise<boolean> {
  const cause = await causeOfFailure(error);
  return cause !== error && cause instanceof Error && 'code' in cause && Number(cause.code) < ownCodesBelow;
}

/** Where each of the first two pages has them, on 64-bit little-endian machines. */
export const PAGE_BYTES_AT = 48;
export const TRANSACTION_AT = 152;

/** The write transaction has begun behind a newer commit, whose place it would take. */
export class CommitHidden extends Error {
  override readonly name = 'CommitHidden';
  readonly code = 'COMMIT_HIDDEN';
}

/**
 * The newest commit, by the file. A process that opens a store sets the number that all processes share to what it read
 * a moment before, outside LMDB's lock: a commit in between is hidden, and the next transaction would overwrite it.
 */
export class NewestCommit {
  readonly #file: number;
  readonly #pageBytes: number;
  readonly #bytes = Buffer.alloc(8);

  /** The store in the folder is open. */
  constructor(folder: string) {
    this.#file = openSync(join(folder, 'data.mdb'), 'r');
    readSync(this.#file, this.#bytes, 0, 4, PAGE_BYTES_AT);
    this.#pageBytes = this.#bytes.readUInt32LE();
  }

  /** Call it first in each write transaction, whose lock keeps the file as it is. `CommitHidden`. */
  ensureSeenBy(root: Pick<RootDatabase, 'getWriteTxnId'>): void {
    const newest = Math.max(this.#transactionOf(0), this.#transactionOf(this.#pageBytes));
    if (root.getWriteTxnId() !== newest + 1) throw new CommitHidden();
  }

  close(): void {
    closeSync(this.#file);
  }

  #transactionOf(page: number): number {
    readSync(this.#file, this.#bytes, 0, 8, page + TRANSACTION_AT);
    return Number(this.#bytes.readBigUInt64LE());
  }
}

/** LMDB passes the reason of a failed commit as a rejected promise that nobody awaits. */
export async function causeOfFailure(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}

/** A short write with fewer free bytes means a full disk. */
const minFreeBytes = 1024 * 1024;

/** For example `ENOSPC`; LMDB reports a short write as `EIO`. A temporary folder may be gone by now. */
export async function codeOfFailure(cause: unknown, folder: string): Promise<string> {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : 'an unknown error';
  const name =
    typeof code === 'number' ? (getSystemErrorMap().get(-code)?.[0] ?? String(code)) : String(code);
  return name === 'EIO' && (await isFull(folder)) ? 'ENOSPC' : name;
}

const isFull = (folder: string): Promise<boolean> =>
  statfs(existsSync(folder) ? folder : dirname(folder)).then(
    ({ bavail, bsize }) => bavail * bsize < minFreeBytes,
    () => false,
  );
