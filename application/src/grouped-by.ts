export function groupedBy<T, K>(items: Iterable<T>, of: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = of(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** In the same order. The default is what is looked up in a read model at once. From `first` on, each is twice as large. */
export function* batchesOf<T>(items: Iterable<T>, size = 512, first = size): Generator<readonly T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < Math.min(first, size)) continue;
    yield batch;
    batch = [];
    first *= 2;
  }
  if (batch.length > 0) yield batch;
}

/** Items of a stream that are looked up at once. */
export const together = 256;

export async function* batched<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < together) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
