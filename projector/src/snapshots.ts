import {
  companyFold,
  CompanyStates,
  type EventReader,
  foldStream,
  type LoadedEvent,
  type ReadModelReader,
  type ReadModelWriter,
} from '@rollcall/adapters';
import { companyStateVersion, type Digester, encodeCompanyState } from '@rollcall/domain';

export interface SnapshotsOptions {
  readonly log: EventReader;
  readonly readModels: Pick<ReadModelReader, 'readSnapshot'> & Pick<ReadModelWriter, 'writeSnapshot'>;
  readonly digester: Digester;
  readonly cacheBytes: number;
}

/** A tail that is read in no time is not worth a snapshot. */
const leastTailBytes = 64 * 1024;

/**
 * Keeps state snapshots of companies: a new one when the events behind the last one weigh more than a quarter of it
 * (design: "Deciding", 1). Called with every applied event; what it did not see, decisions fold themselves.
 */
export class CompanySnapshots {
  readonly #options: SnapshotsOptions;
  readonly #states: CompanyStates;
  /** By stream: what was appended since the last snapshot, and how large that was. */
  readonly #tails = new Map<string, { tailBytes: number; snapshotBytes: number }>();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#states = new CompanyStates(options);
  }

  async onApplied(event: LoadedEvent): Promise<void> {
    if (!event.stream.startsWith('company-')) return;
    const tail = this.#tails.get(event.stream) ?? { tailBytes: 0, snapshotBytes: 0 };
    this.#tails.set(event.stream, tail);
    tail.tailBytes += event.size;
    if (tail.tailBytes < Math.max(leastTailBytes, tail.snapshotBytes / 4)) return;
    tail.snapshotBytes = await this.#write(event.stream);
    tail.tailBytes = 0;
  }

  async #write(stream: string): Promise<number> {
    const { log, readModels, digester } = this.#options;
    const loaded = await foldStream(log, stream, companyFold(digester), await this.#states.recall(stream));
    const { revision, chain, recordedAt } = loaded.head;
    if (revision === 'no-stream' || recordedAt === null) return 0;
    const bytes = encodeCompanyState(loaded.state);
    await readModels.writeSnapshot({
      stream,
      revision,
      stateVersion: companyStateVersion,
      chain,
      recordedAt,
      bytes,
    });
    return bytes.length;
  }
}
