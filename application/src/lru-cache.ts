export interface LruOptions<V> {
  /** In the unit of `sizeOf`. The newest entry stays even if it alone is larger. */
  readonly most: number;
  /** One by default: `most` counts entries. */
  readonly sizeOf?: (value: V) => number;
}

/** Forgets the entries that were not read or set for the longest time. */
export class LruCache<K, V> {
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  /** In the order of their last use. */
  readonly #entries = new Map<K, { readonly value: V; readonly size: number }>();
  #size = 0;

  constructor({ most, sizeOf = () => 1 }: LruOptions<V>) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    this.#size += size;
    this.#entries.set(key, { value, size });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#most || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
