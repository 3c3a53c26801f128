export interface Arrangement<T> {
  readonly before: readonly T[];
  /** In the call's order, without those to delete. */
  readonly sent: readonly T[];
  readonly deleted: ReadonlySet<string>;
  readonly keyOf: (item: T) => string;
}

/** As sent; unmentioned ones stay after their nearest sent predecessor, or first (docs/contract, "Update"). */
export function arrange<T>({ before, sent, deleted, keyOf }: Arrangement<T>): T[] {
  const sentKeys = new Set(sent.map(keyOf));
  const first: T[] = [];
  const behind = new Map<string, T[]>(sent.map((item) => [keyOf(item), []]));
  let target = first;
  for (const item of before) {
    const key = keyOf(item);
    if (sentKeys.has(key)) target = behind.get(key) ?? first;
    else if (!deleted.has(key)) target.push(item);
  }
  return [...first, ...sent.flatMap((item) => [item, ...(behind.get(keyOf(item)) ?? [])])];
}
