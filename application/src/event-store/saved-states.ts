import { companyStateVersion } from '@rollcall/domain';
import type { LoadedState, StateStore } from './load-state.js';
import type { DamageFinder, EventReader } from '../ports/event-log.js';
import { isOutage, problemOf, type ProcessLogger } from '../ports/problems.js';
import type { StateSnapshots } from '../ports/state-snapshots.js';

/** Events that are folded in some 20 ms. */
export const SHORT_TAIL = 1_000;

export interface SavedStatesReader {
  readonly log: EventReader & DamageFinder;
  /** Without them the whole stream is read. */
  readonly snapshots?: Pick<StateSnapshots, 'newest' | 'put'> | undefined;
  /** Of snapshots that are not written: the next reader folds more, and nothing else is lost. */
  readonly logger?: Pick<ProcessLogger, 'warn'> | undefined;
}

interface SavedStatesOptions<S> extends Omit<SavedStatesReader, 'log'> {
  readonly encode: (state: S) => Uint8Array;
  /** Undefined for another format. */
  readonly decode: (bytes: Uint8Array) => S | undefined;
  /** How many events behind the snapshot at this revision the next is written. */
  readonly leastTail: (saved: number) => number;
}

/** Snapshots of small states. A process that folds a long tail writes the next one (design: "Deciding", 1). */
export class SavedStates<S> implements StateStore<S> {
  readonly #options: SavedStatesOptions<S>;
  /** The revision of each stream's snapshot, as far as it was read or written. */
  readonly #saved = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: SavedStatesOptions<S>) {
    this.#options = options;
  }

  get(stream: string): LoadedState<S> | undefined;
  get(): undefined {
    return undefined;
  }

  async snapshot(stream: string, behind: number): Promise<LoadedState<S> | undefined> {
    const { snapshots, decode } = this.#options;
    const found = snapshots && (await readSnapshot({ snapshots, decode }, stream, behind));
    if (found === undefined || found === 'unusable') return undefined;
    if (found.head.revision !== 'no-stream') this.#saved.set(stream, found.head.revision);
    return found;
  }

  unfit(stream: string): void {
    this.#saved.delete(stream);
  }

  put(stream: string, { state, head }: LoadedState<S>): void {
    const { snapshots, encode, leastTail, logger } = this.#options;
    const { revision, chain, recordedAt } = head;
    if (snapshots === undefined || revision === 'no-stream' || recordedAt === null) return;
    const saved = this.#saved.get(stream) ?? 0;
    if (revision - saved < leastTail(saved)) return;
    this.#saved.set(stream, revision);
    const bytes = encode(state);
    const snapshot = { stream, revision, stateVersion: companyStateVersion, chain, recordedAt, bytes };
    this.#writing = this.#writing
      .then(() => snapshots.put(snapshot))
      .catch((error: unknown) =>
        logger?.warn({ stream, problem: problemOf(error) }, 'no state snapshot was written'),
      );
  }

  /** Resolves when no snapshot is being written. */
  settled(): Promise<void> {
    return this.#writing;
  }
}

interface SnapshotReader<S> {
  readonly snapshots: Pick<StateSnapshots, 'newest'>;
  readonly decode: (bytes: Uint8Array) => S | undefined;
}

/** After revision `behind` (-1: any). `unusable`: damaged, of another format, or out of reach. */
export async function readSnapshot<S>(
  { snapshots, decode }: SnapshotReader<S>,
  stream: string,
  behind: number,
): Promise<LoadedState<S> | 'unusable' | undefined> {
  const found = await snapshots.newest(stream, companyStateVersion).catch((error: unknown) => {
    if (!isOutage(error)) throw error;
    return 'unusable' as const;
  });
  if (found === undefined || found === 'unusable') return found;
  const { revision, chain, recordedAt, bytes } = found;
  if (revision <= behind) return undefined;
  const state = decode(bytes);
  return state === undefined ? 'unusable' : { state, head: { revision, chain, recordedAt } };
}
