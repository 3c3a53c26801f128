import { systemClock } from '@rollcall/application';
import { openImportPool, type ImportPool, type ImportPoolOptions } from '../import-threads/import-pool.js';
import type { Stores } from '../open-adapters.js';
import type { CommonConfig } from './common-config.js';
import type { Installation } from './installation.js';

/** How much the company states of an import thread may weigh together. */
const stateCacheBytes = 64 * 1024 * 1024;

/** The import threads of a process, with stores of their own. */
export function openImports(
  config: CommonConfig,
  { adapters, damage, keys, lost, metrics, observe, writes }: Installation<Stores>,
  options: ImportPoolOptions,
): ImportPool {
  const { digestKey } = keys;
  const threadData = { adapters: config.adapters, digestKey, cacheBytes: stateCacheBytes };
  return openImportPool(
    threadData,
    {
      log: adapters.log,
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
