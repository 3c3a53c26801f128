/**
 * A map that never changes: `with` gives another one. The entries lie in levels of falling size, older ones first, and a level
 * is joined with the one before it once that is no larger: so n additions, one by one, copy each entry log n times and not n times.
 */
export class GrowingMap<K, V> {
  readonly levels: readonly ReadonlyMap<K, V>[];

  constructor(levels: readonly ReadonlyMap<K, V>[] = []) {
    this.levels = levels;
  }

  has(key: K): boolean {
    return this.levels.some((level) => level.has(key));
  }

  get(key: K): V | undefined {
    return this.levels.findLast((level) => level.has(key))?.get(key);
  }

  /** The same with this entry, in the place of an earlier one of that key. */
  with(key: K, value: V): GrowingMap<K, V> {
    const levels: ReadonlyMap<K, V>[] = [...this.levels];
    let last: ReadonlyMap<K, V> = new Map([[key, value]]);
    for (let before = levels.at(-1); before && before.size <= last.size; before = levels.at(-1)) {
      last = new Map([...before, ...last]);
      levels.pop();
    }
    return new GrowingMap([...levels, last]);
  }

  /** In the order in which the keys came. */
  keys(): Iterable<K> {
    return this.#all().keys();
  }

  values(): Iterable<V> {
    return this.#all().values();
  }

  #all(): Map<K, V> {
    return new Map(this.levels.flatMap((level) => [...level]));
  }
}
