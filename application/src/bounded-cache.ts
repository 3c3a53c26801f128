interface BoundedCacheOptions<V> {
  /** In the unit of `sizeOf`. The newest entry stays even if it alone is larger. */
  readonly most: number;
  /** One by default: `most` counts entries. */
  readonly sizeOf?: (value: V) => number;
  /** At least 0, below 1. */
  readonly random?: () => number;
}

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly size: number;
  at: number;
}

/** Replaces entries at random: an LRU cache finds nothing once a few more than it holds are read by turns. */
export class BoundedCache<K, V> {
  readonly #options: Required<BoundedCacheOptions<V>>;
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #all: Entry<K, V>[] = [];
  #size = 0;

  constructor(options: BoundedCacheOptions<V>) {
    this.#options = { sizeOf: () => 1, random: Math.random, ...options };
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#options.sizeOf(value);
    for (let one = this.#any(); one && this.#size + size > this.#options.most; one = this.#any())
      this.delete(one.key);
    const entry = { key, value, size, at: this.#all.length };
    this.#all.push(entry);
    this.#entries.set(key, entry);
    this.#size += size;
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const last = this.#all.pop() ?? entry;
    if (last !== entry) this.#all[(last.at = entry.at)] = last;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  #any(): Entry<K, V> | undefined {
    return this.#all[Math.floor(this.#options.random() * this.#all.length)];
  }
}
