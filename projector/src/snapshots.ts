import {
  companyFold,
  CompanyStateCache,
  EmployeeSetFold,
  type DamageFinder,
  type EventReader,
  headAt,
  initialState,
  loadState,
  type LoadedEvent,
  type LoadedState,
  nextRevision,
  problemOf,
  type ProcessLogger,
  type StateSnapshots,
} from '@rollcall/application/read';
import { type CompanyState, companyStateVersion, type Digester, encodeCompanyState } from '@rollcall/domain';

type Log = EventReader & DamageFinder;

export interface SnapshotsOptions {
  readonly log: Log;
  readonly snapshots: StateSnapshots;
  readonly digester: Digester;
  /** How much the states held in memory may weigh together. */
  readonly cacheBytes: number;
  readonly logger?: ProcessLogger;
}

/** A tail that is read in no time is not worth a snapshot. */
const leastTailBytes = 64 * 1024;

interface Tail {
  /** What was appended since the last snapshot. */
  tailBytes: number;
  snapshotBytes: number;
}

/**
 * Keeps state snapshots of companies: a new one when the events behind the last one weigh more than a quarter of it
 * (design: "Deciding", 1). A large set is folded while its event is projected, and not read once more. The rest is done beside the
 * projection, one after the other, and it does not wait: whoever decides without a snapshot folds a longer tail.
 */
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

  /** To be asked before a large event is projected: what is to be shown its entries meanwhile, where a snapshot is due behind it. */
  async beside(event: LoadedEvent): Promise<EmployeeSetFold | undefined> {
    if (event.name !== 'EmployeeSetReplaced' || !isDue(this.#tailOf(event.stream), event.size))
      return undefined;
    const before = await this.#before(event).catch((error: unknown) => this.#warn(event, error));
    if (before === undefined || nextRevision(before.head) !== event.revision) return undefined;
    const fold = new EmployeeSetFold(before, event);
    this.#folds.set(event, fold);
    return fold;
  }

  /** To be called with every applied event. */
  onApplied(event: LoadedEvent): void {
    if (!event.stream.startsWith('company-')) return;
    const tail = this.#tailOf(event.stream);
    const due = isDue(tail, event.size);
    tail.tailBytes = due ? 0 : tail.tailBytes + event.size;
    if (due) this.#work = this.#work.then(() => this.#snapshot(event, tail));
  }

  /** Resolves when all snapshots that are due by now are written. */
  settled(): Promise<void> {
    return this.#work;
  }

  #tailOf(stream: string): Tail {
    const tail = this.#tails.get(stream) ?? { tailBytes: 0, snapshotBytes: 0 };
    this.#tails.set(stream, tail);
    return tail;
  }

  async #snapshot(event: LoadedEvent, tail: Tail): Promise<void> {
    try {
      const loaded = this.#folds.get(event)?.after ?? (await this.#after(event));
      this.#states.put(event.stream, loaded);
      tail.snapshotBytes = await this.#write(event.stream, loaded);
    } catch (error) {
      this.#warn(event, error);
    }
  }

  #warn({ stream }: LoadedEvent, error: unknown): undefined {
    this.#options.logger?.warn({ stream, problem: problemOf(error) }, 'no state snapshot was written');
  }

  /** The state in front of the event, or a later one where that is known already. */
  async #before(event: LoadedEvent): Promise<LoadedState<CompanyState>> {
    const { log, digester } = this.#options;
    const { stream, revision } = event;
    const fold = companyFold(digester);
    if (revision === 0) return initialState(fold);
    const source = { log: endingAt(log, stream, revision - 1), stream, fold, store: this.#states };
    return loadState(source);
  }

  async #after(event: LoadedEvent): Promise<LoadedState<CompanyState>> {
    const before = await this.#before(event);
    if (nextRevision(before.head) !== event.revision) return before;
    return {
      state: await companyFold(this.#options.digester).evolve(before.state, event),
      head: headAt(event),
    };
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

/** The log as if the stream ended at this revision; who asks for what is behind it gets the first of that. */
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
