export interface Arrangement<T> {
  readonly before: readonly T[];
  /** In the order of the call; those to be deleted are not among them. */
  readonly sent: readonly T[];
  readonly deleted: ReadonlySet<string>;
  readonly keyOf: (item: T) => string;
}

/**
 * The order after an update: as sent; what the update does not mention stays, behind the nearest one in front of it that
 * was sent, or at the beginning (docs/contract, "Update").
 */
export function arrange<T>({ before, sent, deleted, keyOf }: Arrangement<T>): T[] {
  const sentKeys = new Set(sent.map(keyOf));
  const first: T[] = [];
  const behind = new Map<string, T[]>(sent.map((item) => [keyOf(item), []]));
  let place = first;
  for (const item of before) {
    const key = keyOf(item);
    if (sentKeys.has(key)) place = behind.get(key) ?? first;
    else if (!deleted.has(key)) place.push(item);
  }
  return [...first, ...sent.flatMap((item) => [item, ...(behind.get(keyOf(item)) ?? [])])];
}
