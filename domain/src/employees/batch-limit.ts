/** Below this many employees present the limit does not count. */
export const batchLimitFrom = 100;

export interface BatchSize {
  readonly present: number;
  readonly inserted: number;
  readonly removed: number;
}

/** Inserted and removed are each compared with the limit: a swap of all does not pass (docs/contract, "Batch limit"). */
export function exceedsBatchLimit({ present, inserted, removed }: BatchSize, limit: number | null): boolean {
  if (limit === null || present < batchLimitFrom) return false;
  return Math.max(inserted, removed) * 100 > limit * present;
}
