import type { Transaction } from 'lmdb';
import { ReadModelsUnavailable } from '@rollcall/application';
import type { Environment } from './environment.js';

/** LMDB cannot reuse pages that somebody may still read, so a slower reader is cut off. */
export const maxSnapshotMs = 10 * 60_000;

export interface Snapshot {
  /** An outage once the store has taken the snapshot back. */
  transaction(): Transaction;
  release(): void;
}

/** All must be released before the environment closes. */
export class Snapshots {
  readonly #held = new Set<Snapshot>();
  readonly #environment: Environment;
  readonly #snapshotMs: number;

  constructor(environment: Environment, snapshotMs: number) {
    this.#environment = environment;
    this.#snapshotMs = snapshotMs;
  }

  take(): Snapshot {
    this.#environment.root.resetReadTxn();
    const transaction = this.#environment.records.useReadTransaction();
    const snapshot: Snapshot = {
      transaction: () => {
        if (this.#held.has(snapshot)) return transaction;
        throw new ReadModelsUnavailable('the reading took too long, or the store was closed');
      },
      release: () => {
        if (!this.#held.delete(snapshot)) return;
        clearTimeout(timer);
        transaction.done();
      },
    };
    const timer = setTimeout(() => snapshot.release(), this.#snapshotMs).unref();
    this.#held.add(snapshot);
    return snapshot;
  }

  releaseAll(): void {
    for (const snapshot of [...this.#held]) snapshot.release();
  }
}
