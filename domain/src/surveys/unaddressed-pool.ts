/** Unaddressed items by an equality key; each is taken once, in order. */
export class UnaddressedPool<T> {
  readonly #equal = new Map<string, T[]>();

  constructor(items: readonly T[], fingerprint: (item: T) => string) {
    for (const item of items.toReversed()) {
      const key = fingerprint(item);
      const equal = this.#equal.get(key);
      if (equal) equal.push(item);
      else this.#equal.set(key, [item]);
    }
  }

  take(fingerprint: string): T | undefined {
    return this.#equal.get(fingerprint)?.pop();
  }
}
