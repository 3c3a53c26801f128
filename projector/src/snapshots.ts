import {
  companyFold,
  CompanyStateCache,
  EmployeeSetFold,
  type DamageFinder,
  type EventReader,
  initialState,
  loadState,
  type LoadedEvent,
  type LoadedState,
  nextRevision,
  problemOf,
  type ProcessLogger,
  type StateSnapshots,
} from '@rollcall/application/read';
import { type CompanyState, companyStateVersion, encodeCompanyState } from '@rollcall/domain';
import type { Digester } from '@rollcall/employee-lists';

type Log = EventReader & DamageFinder;

interface SnapshotsOptions {
  readonly log: Log;
  readonly snapshots: StateSnapshots;
  readonly digester: Digester;
  readonly cacheBytes: number;
  readonly logger?: ProcessLogger;
}

/** Folding less is cheaper than a file that is synced: some 1,000 new employees. */
const leastTailBytes = 512 * 1024;

interface Tail {
  /** Whether the stored snapshot is counted in. */
  isKnown: boolean;
  tailBytes: number;
  snapshotBytes: number;
}

/** Writes a snapshot when newer events weigh over a quarter of it (design: "Deciding", 1). Folds large sets as projected. */
export class CompanySnapshots {
  readonly #options: SnapshotsOptions;
  readonly #states: CompanyStateCache;
  readonly #tails = new Map<string, Tail>();
  readonly #folds = new WeakMap<LoadedEvent, EmployeeSetFold>();
  #work: Promise<void> = Promise.resolve();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    const onUnusable = (stream: string): void =>
      options.logger?.warn({ stream }, 'a state snapshot was of no use');
    this.#states = new CompanyStateCache({ ...options, onUnusable });
  }

  /** Before a large event is projected: a fold to feed, if a snapshot is due. */
  async beside(event: LoadedEvent): Promise<EmployeeSetFold | undefined> {
    if (event.name !== 'EmployeeSetReplaced' || !isDue(this.#tailOf(event), event.size)) return undefined;
    const before = await this.#at(event.stream, event.revision - 1).catch((error: unknown) =>
      this.#warn(event, error),
    );
    if (before === undefined || nextRevision(before.head) !== event.revision) return undefined;
    const fold = new EmployeeSetFold(before, event);
    this.#folds.set(event, fold);
    return fold;
  }

  onApplied(event: LoadedEvent): void {
    if (!event.stream.startsWith('company-')) return;
    const tail = this.#tailOf(event);
    const due = isDue(tail, event.size);
    tail.tailBytes = due ? 0 : tail.tailBytes + event.size;
    if (due) this.#work = this.#work.then(() => this.#snapshot(event, tail));
  }

  settled(): Promise<void> {
    return this.#work;
  }

  /** At first as if there were no snapshot, and each event but the company's first as large as this one. */
  #tailOf({ stream, revision, size }: LoadedEvent): Tail {
    const before = { isKnown: false, tailBytes: (revision - 1) * size, snapshotBytes: 0 };
    const tail = this.#tails.get(stream) ?? before;
    this.#tails.set(stream, tail);
    return tail;
  }

  async #snapshot(event: LoadedEvent, tail: Tail): Promise<void> {
    try {
      if (!tail.isKnown && (await this.#isRecent(event, tail))) return;
      // Read again: the event's own memory may be freed.
      const loaded = this.#folds.get(event)?.after ?? (await this.#at(event.stream, event.revision));
      this.#states.put(event.stream, loaded);
      tail.snapshotBytes = await this.#write(event.stream, loaded);
    } catch (error) {
      this.#warn(event, error);
    }
  }

  /** Whether the snapshot that an earlier process has stored is. */
  async #isRecent({ stream, revision, size }: LoadedEvent, tail: Tail): Promise<boolean> {
    const stored = await this.#options.snapshots.newest(stream, companyStateVersion);
    tail.isKnown = true;
    if (typeof stored !== 'object') return false;
    tail.snapshotBytes = stored.bytes.length;
    const tailBytes = (revision - stored.revision) * size;
    if (isDue({ ...tail, tailBytes }, 0)) return false;
    tail.tailBytes += tailBytes;
    return true;
  }

  #warn({ stream }: LoadedEvent, error: unknown): undefined {
    this.#options.logger?.warn({ stream, problem: problemOf(error) }, 'no state snapshot was written');
  }

  /** The state at this revision, or a later cached one. */
  #at(stream: string, revision: number): Promise<LoadedState<CompanyState>> {
    const { log, digester } = this.#options;
    const fold = companyFold(digester);
    if (revision < 0) return Promise.resolve(initialState(fold));
    return loadState({ log: endingAt(log, stream, revision), stream, fold, store: this.#states });
  }

  async #write(stream: string, { state, head }: LoadedState<CompanyState>): Promise<number> {
    const { revision, chain, recordedAt } = head;
    if (revision === 'no-stream' || recordedAt === null) return 0;
    const bytes = encodeCompanyState(state);
    const stateVersion = companyStateVersion;
    await this.#options.snapshots.put({ stream, revision, stateVersion, chain, recordedAt, bytes });
    return bytes.length;
  }
}

const isDue = ({ tailBytes, snapshotBytes }: Tail, size: number): boolean =>
  tailBytes + size >= Math.max(leastTailBytes, snapshotBytes / 4);

/** The log as if the stream ended at this revision; a reader past it gets the next event. */
const endingAt = (log: Log, stream: string, last: number): Log => ({
  readStream: (name, options = {}) => {
    const { from = 0, limit = Infinity } = options;
    const some = { from, limit: Math.min(limit, Math.max(last - from, 0) + 1) };
    return log.readStream(name, name === stream ? some : options);
  },
  readLast: (name) => log.readLast(name),
  lastPosition: (options) => log.lastPosition(options),
  ...(log.findDamage && { findDamage: log.findDamage.bind(log) }),
});
