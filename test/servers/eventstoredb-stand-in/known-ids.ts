/** What a live entry costs in the cache's 8 MiB. */
const ENTRY_BYTES = 80;
const CACHE_BYTES = 8 * 1024 * 1024;

/** The ids of the latest events, in memory only: all that an append with "any" knows of repeats, until the next restart. */
export class KnownIds {
  readonly #revisions = new Map<string, number>();
  readonly #most = Math.floor(CACHE_BYTES / ENTRY_BYTES);

  remember(stream: string, id: string, revision: number): void {
    const key = `${id} ${stream}`;
    this.#revisions.delete(key);
    this.#revisions.set(key, revision);
    if (this.#revisions.size <= this.#most) return;
    const [oldest] = this.#revisions.keys();
    if (oldest !== undefined) this.#revisions.delete(oldest);
  }

  revision(stream: string, id: string): number | undefined {
    return this.#revisions.get(`${id} ${stream}`);
  }
}
