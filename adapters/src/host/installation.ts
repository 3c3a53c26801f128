import type { Keys } from '../keys/index.js';
import type { EventLog } from '@rollcall/application';
import { systemClock, type Queue, type ReadableEventLog, type ReadModels } from '@rollcall/application/read';
import { both, measuredEventLog, type ObserveEventLog } from './metrics/measured-event-log.js';
import { watchDataFolder } from './metrics/data-folder-metrics.js';
import { Metrics } from './metrics/metrics.js';
import { openOperationsServer } from './metrics/operations-server.js';
import { eventLogObserver, watchStores, type WatchedStores } from './metrics/store-metrics.js';
import type { AdaptersConfig } from '../adapters-config.js';
import type { CommonConfig } from './common-config.js';
import { openEventLog } from '../open-adapters.js';
import { withLogThere } from './awaited-log.js';
import { beginInstallation } from './begin-installation.js';
import { DamageWatch } from './damage-watch.js';
import { prepareDataFolder } from './data-folder.js';
import { guardedLog, isEventLog } from './guarded-log.js';
import type { HealthProblem } from './health.js';
import type { Opened } from './parts.js';
import { dataFolderPlace, largestAppendPlace } from './write-places.js';
import { openTracing } from './tracing/open-tracing.js';
import type { Tracing } from './tracing/tracing.js';
import { withWatchedEnd, type LostLog } from './watched-end.js';
import { WriteWatch } from './write-watch.js';

/** What is measured and watched of the stores, whoever has them. */
export interface ReadStores {
  readonly log: ReadableEventLog;
  readonly readModels: WatchedStores['readModels'] & Pick<ReadModels, 'beginEmpty'>;
  readonly queue?: Pick<Queue, 'depth'>;
  close(): Promise<void>;
}

export interface Installation<S extends ReadStores> {
  /** Calls of their event log are measured. */
  readonly adapters: S;
  readonly keys: Keys;
  readonly metrics: Metrics;
  readonly writes: WriteWatch;
  readonly damage: DamageWatch;
  readonly lost: LostLog;
  /** To be told the calls of other event logs of the process. */
  readonly observe: ObserveEventLog;
  readonly tracing: Tracing;
}

/**
 * What every process needs first: the data folder, its adapters (`openStores` or `openAdapters`), and the installation's keys.
 * Refused where these do not belong together (`beginInstallation`).
 */
export async function openInstallation<S extends ReadStores>(
  config: CommonConfig,
  open: (config: AdaptersConfig) => Promise<S>,
  opened: Opened,
): Promise<Installation<S>> {
  await prepareDataFolder(config.adapters.dataDir);
  const tracing = opened(await openTracing(config.tracing));
  const stores = opened(await open(config.adapters));
  const metrics = new Metrics();
  const writes = new WriteWatch([dataFolderPlace(config.adapters.dataDir)]);
  watchLargestAppend(writes, stores.log);
  const observe = both(eventLogObserver(metrics), writes.observe);
  const damage = opened(new DamageWatch(stores.log));
  const lost: LostLog = {};
  const measured = measuredEventLog(stores.log, observe);
  const adapters = { ...stores, log: guardedLog(withWatchedEnd(measured, lost), damage) };
  const begin = (): Promise<Keys> =>
    withEventLog(config.adapters, (log) =>
      beginInstallation({ ...stores, log, keyFolder: config.keyFolder, clock: systemClock }),
    );
  const say = (line: string): void => void process.stderr.write(line);
  const keys = await withLogThere(config.adapters, begin, { say });
  watchStores(metrics, { ...stores, damage, clock: systemClock });
  watchDataFolder(metrics, config.adapters.dataDir);
  return { adapters, lost, damage, keys, metrics, writes, observe, tracing };
}

function watchLargestAppend(writes: WriteWatch, log: ReadableEventLog): void {
  if (!isEventLog(log)) return;
  const probeAppend = log.probeAppend?.bind(log);
  if (probeAppend !== undefined) writes.watch(largestAppendPlace(probeAppend));
}

/** A log of its own for what is said once: who only follows the log is given none that appends. */
async function withEventLog<T>(config: AdaptersConfig, work: (log: EventLog) => Promise<T>): Promise<T> {
  const log = await openEventLog(config);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

/** Serves metrics and health where the environment says so (`METRICS_PORT`), and tells where. */
export async function serveOperations(
  { operations }: Pick<CommonConfig, 'operations'>,
  metrics: Metrics,
  {
    opened,
    problems,
  }: { readonly opened: Opened; readonly problems: () => Promise<readonly HealthProblem[]> },
): Promise<void> {
  if (operations === undefined) return;
  const { address } = opened(await openOperationsServer(operations, { metrics, problems }));
  process.stdout.write(`Metrics are on ${address}/metrics\n`);
}
