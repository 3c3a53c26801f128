import type { CompanySettings } from '@rollcall/contracts';

/** Percent, in force at this moment (ms since the epoch); null: none. A limit that was set for a time goes back by itself. */
export const batchLimitAt = (
  { batchLimit, batchLimitThen }: Pick<CompanySettings, 'batchLimit' | 'batchLimitThen'>,
  now: number,
): number | null =>
  batchLimitThen !== null && Date.parse(batchLimitThen.from) <= now ? batchLimitThen.limit : batchLimit;
