/** Immutable. Levels of falling size are merged like a log-structured tree: n additions copy each entry log n times. */
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

  with(key: K, value: V): GrowingMap<K, V> {
    const levels: ReadonlyMap<K, V>[] = [...this.levels];
    let last: ReadonlyMap<K, V> = new Map([[key, value]]);
    for (let before = levels.at(-1); before && before.size <= last.size; before = levels.at(-1)) {
      last = new Map([...before, ...last]);
      levels.pop();
    }
    return new GrowingMap([...levels, last]);
  }

  /** In order of insertion. */
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
