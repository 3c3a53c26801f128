import type { Transaction } from 'lmdb';
import { ReadModelsUnavailable } from '@rollcall/application';
import type { Environment } from './environment.js';

/**
 * How long one iteration may hold its snapshot. LMDB cannot reuse pages while somebody may still read them, so a reader
 * that is slower than this is cut off rather than shown a mixture of two states.
 */
export const SNAPSHOT_MS = 10 * 60_000;

/** What one iteration reads. */
export interface Snapshot {
  /** To read with; an outage where the store took it back. */
  transaction(): Transaction;
  release(): void;
}

/** The snapshots that iterations hold at present; all of them must be let go before the environment closes. */
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
