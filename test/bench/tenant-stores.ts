import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { notProjected, readModelsVersion } from '@rollcall/application';
import { embeddedAdapters, openAdapters, type Adapters } from '@rollcall/adapters';
import { lagInEvents } from '@rollcall/host';

/** What was appended to the log; bytes of data and metadata. */
export interface Appended {
  readonly events: number;
  readonly bytes: number;
}

/** Bytes that the files of a folder take of the disk. */
function bytesOnDisk(folder: string): number {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).blocks * 512, 0);
}

/** The stores of a running installation, looked at from beside it. */
export class TenantStores {
  readonly #adapters: Adapters;
  readonly #dataDir: string;
  #counted: bigint | undefined;

  private constructor(adapters: Adapters, dataDir: string) {
    this.#adapters = adapters;
    this.#dataDir = dataDir;
  }

  static async open(dataDir: string): Promise<TenantStores> {
    const config = { ...embeddedAdapters(dataDir), projections: readModelsVersion };
    return new TenantStores(await openAdapters(config), dataDir);
  }

  /** What was appended since the last time. */
  async appended(): Promise<Appended> {
    const ended = new AbortController();
    let [events, bytes] = [0, 0];
    for await (const item of this.#adapters.log.subscribeToAll({
      after: this.#counted,
      signal: ended.signal,
    })) {
      if (item.kind === 'caught-up') break;
      this.#counted = item.event.position;
      events += 1;
      bytes += item.event.data.length + item.event.metadata.length;
    }
    ended.abort();
    return { events, bytes };
  }

  /** How many events the read models do not have yet; counted up to 10,000. */
  async behind(): Promise<number> {
    const { position } = await this.#adapters.readModels.progress();
    return lagInEvents(this.#adapters.log, position, AbortSignal.timeout(5_000));
  }

  /** Until the read models have all that stands in the log now. */
  async caughtUp(withinMs: number): Promise<void> {
    const position = await this.#adapters.log.lastPosition({ withoutStreams: notProjected });
    if (position === undefined) return;
    if (!(await this.#adapters.readModels.reachedPosition(position, withinMs)))
      throw new Error('The read models have not caught up in time');
  }

  onDisk(): { readonly log: number; readonly readModels: number } {
    return {
      log: bytesOnDisk(join(this.#dataDir, 'event-log')),
      readModels:
        bytesOnDisk(join(this.#dataDir, 'read-models')) + bytesOnDisk(join(this.#dataDir, 'snapshots')),
    };
  }

  close(): Promise<void> {
    return this.#adapters.close();
  }
}
