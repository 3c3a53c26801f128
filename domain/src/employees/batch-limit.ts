/** Below this many employees present the limit does not count. */
export const batchLimitFrom = 100;

export interface BatchSize {
  readonly present: number;
  readonly inserted: number;
  readonly removed: number;
}

/**
 * Whether a change is larger than the company's limit in percent of those present: the inserted and the removed are
 * compared each for itself, so that a swap of everybody does not pass (docs/contract, "Batch limit").
 */
export function exceedsBatchLimit({ present, inserted, removed }: BatchSize, limit: number | null): boolean {
  if (limit === null || present < batchLimitFrom) return false;
  return Math.max(inserted, removed) * 100 > limit * present;
}
