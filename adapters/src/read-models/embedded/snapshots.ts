import type { Transaction } from 'lmdb';
import { ReadModelsUnavailable } from '@rollcall/application';
import type { Environment } from './environment.js';

/**
 * How long one iteration may hold its snapshot. LMDB cannot reuse pages while somebody may still read them, so a reader
 * that is slower than this is cut off rather than shown a mixture of two states.
 */
export const SNAPSHOT_MS = 10 * 60_000;

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
    const snapshot = new Snapshot(transaction, this.#snapshotMs, () => this.#held.delete(snapshot));
    this.#held.add(snapshot);
    return snapshot;
  }

  releaseAll(): void {
    for (const snapshot of [...this.#held]) snapshot.release();
  }
}

export class Snapshot {
  readonly #transaction: Transaction;
  readonly #timer: NodeJS.Timeout;
  readonly #released: () => void;
  #over = false;

  constructor(transaction: Transaction, lifeMs: number, released: () => void) {
    this.#transaction = transaction;
    this.#released = released;
    this.#timer = setTimeout(() => this.release(), lifeMs);
    this.#timer.unref();
  }

  /** The transaction to read with; an outage where the store took it back. */
  get transaction(): Transaction {
    if (this.#over) throw new ReadModelsUnavailable('the reading took too long, or the store was closed');
    return this.#transaction;
  }

  release(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#transaction.done();
    this.#released();
  }
}
