import type { CompanySettings } from '@rollcall/contracts';
import { batchLimitAt } from '../companies/index.js';

export interface BatchSize {
  readonly present: number;
  readonly inserted: number;
  readonly removed: number;
}

type LimitSettings = Pick<CompanySettings, 'batchLimit' | 'batchLimitFrom' | 'batchLimitThen'>;

/**
 * The limit in force that is passed, in percent; undefined where none is. Inserted and removed are each compared with it: a swap of all
 * does not pass (docs/contract, "Batch limit").
 */
export function passedBatchLimit(
  { present, inserted, removed }: BatchSize,
  settings: LimitSettings,
  now: number,
): number | undefined {
  const limit = batchLimitAt(settings, now);
  if (limit === null || present < settings.batchLimitFrom) return undefined;
  return Math.max(inserted, removed) * 100 > limit * present ? limit : undefined;
}
