import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';

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
