import { importLimits, readsWithRetry, systemClock } from '@rollcall/application';
import { openImportPool, type ImportPool, type ImportPoolOptions } from './import-pool.js';
import type { Stores } from '@rollcall/adapters';
import type { CommonConfig } from '../configuration/common-config.js';
import type { Installation } from '../installation/installation.js';

export function openImports(
  config: CommonConfig,
  { adapters, damage, keys, lost, metrics, observe, writes }: Installation<Stores>,
  options: ImportPoolOptions,
): ImportPool {
  const { digestKey } = keys;
  const threadData = { adapters: config.adapters, digestKey, cacheBytes: importLimits.threadStateCacheBytes };
  return openImportPool(
    threadData,
    {
      log: readsWithRetry(adapters.log),
      readModels: adapters.readModels,
      clock: systemClock,
      observe,
      onUnavailable: writes.suspect,
      damage,
      lost,
      onUnsettled: (reason, count) => metrics.families.elementsInFull.inc({ reason }, count),
      onUnproven: (reason, count) => metrics.families.bodiesReadAgain.inc({ reason }, count),
      onUnusable: (count) => metrics.families.snapshotsUnusable.inc(count),
    },
    options,
  );
}
