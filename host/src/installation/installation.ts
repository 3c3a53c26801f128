import { randomUUID } from 'node:crypto';
import { type Keys, type AdaptersConfig, openEventLog, type Opened } from '@rollcall/adapters';
import type { EventLog } from '@rollcall/application';
import {
  systemClock,
  type ProcessLogger,
  type Queue,
  type ReadableEventLog,
  type ReadModels,
  type StateSnapshots,
} from '@rollcall/application/read';
import {
  both,
  measuredEventLog,
  type ObserveEventLog,
  guardedLog,
  isEventLog,
  withWatchedEnd,
  type LostLog,
} from '../event-log/watched-log.js';
import { watchDataFolder } from '../metrics/data-folder-metrics.js';
import { Metrics } from '../metrics/metrics.js';
import { eventLogObserver, watchStores, type WatchedStores } from '../metrics/store-metrics.js';
import type { CommonConfig } from '../configuration/common-config.js';
import { beginUse } from './folder-use.js';
import { withServersThere } from './awaited-servers.js';
import { beginInstallation } from './begin-installation.js';
import { ProofWatch } from '../health/proof-watch.js';
import { watchProof } from '../metrics/proof-metrics.js';
import { DamageWatch } from '../health/damage-watch.js';
import { prepareDataFolder } from './data-folder.js';
import { outage, type HealthProblem } from '../health/health.js';
import { openMetricsServer } from '../metrics/metrics-server.js';
import { dataFolderPlace, appendPlace } from '../health/write-places.js';
import { openTracing } from '../tracing/open-tracing.js';
import type { Tracing } from '../tracing/tracing.js';
import { WriteWatch } from '../health/write-watch.js';

type Problems = () => Promise<readonly HealthProblem[]>;

interface ServedHealth {
  /** Reports in one line why the start waits for a server. */
  readonly waits: (line: string) => void;
  /** Readiness is what this finds from now on; before, the process is starting. */
  readonly started: (problems: Problems) => void;
}

interface ReadStores {
  readonly log: ReadableEventLog;
  readonly readModels: WatchedStores['readModels'] & Pick<ReadModels, 'beginEmpty'>;
  readonly queue?: Pick<Queue, 'depth'>;
  readonly snapshots: StateSnapshots;
  close(): Promise<void>;
}

export interface Installation<S extends ReadStores> {
  readonly adapters: S;
  readonly keys: Keys;
  readonly metrics: Metrics;
  readonly health: ServedHealth;
  readonly writes: WriteWatch;
  readonly damage: DamageWatch;
  readonly lost: LostLog;
  /** Receives the calls of the process's other event logs. */
  readonly observe: ObserveEventLog;
  readonly tracing: Tracing;
}

/** Opens data folder, adapters and keys. Waits for servers, and says so in readiness. Throws like `beginInstallation`. */
export async function openInstallation<S extends ReadStores>(
  config: CommonConfig,
  open: (config: AdaptersConfig) => Promise<S>,
  { opened, logger }: { readonly opened: Opened; readonly logger: ProcessLogger },
  onlyReads = false,
): Promise<Installation<S>> {
  await prepareDataFolder(config.adapters);
  const tracing = opened(await openTracing(config.tracing));
  const metrics = new Metrics();
  const health = await serveHealth(config, metrics, opened);
  const whenThere = <T>(work: () => Promise<T>): Promise<T> =>
    withServersThere(config.adapters, work, { say: health.waits, mostMs: Infinity });
  opened(await beginUse(config.adapters, { say: health.waits }));
  const stores = opened(await whenThere(() => open(config.adapters)));
  const writes = new WriteWatch([dataFolderPlace(config.adapters.dataDir)]);
  watchAppends(writes, stores.log);
  const observe = both(eventLogObserver(metrics), writes.observe);
  const proof = opened(new ProofWatch(stores));
  const damage = opened(new DamageWatch(stores.log, { logger, proof }));
  const lost: LostLog = {};
  const measured = measuredEventLog(stores.log, observe);
  const adapters = { ...stores, log: guardedLog(withWatchedEnd(measured, lost), damage) };
  const begin = (): Promise<Keys> =>
    withEventLog(config.adapters, (log) =>
      beginInstallation({ ...stores, log, keyFolder: config.keyFolder, clock: systemClock, onlyReads }),
    );
  const keys = await whenThere(begin);
  watchStores(metrics, { ...stores, damage, clock: systemClock });
  watchDataFolder(metrics, config.adapters.dataDir);
  watchProof(metrics, config.adapters.dataDir, proof);
  return { adapters, lost, damage, keys, metrics, health, writes, observe, tracing };
}

/** Serves metrics and health from the start on, if configured (`METRICS_PORT`), and reports the address. */
async function serveHealth(
  { metricsServer }: Pick<CommonConfig, 'metricsServer'>,
  metrics: Metrics,
  opened: Opened,
): Promise<ServedHealth> {
  const starting =
    (why: string): Problems =>
    () =>
      Promise.resolve([outage(why)]);
  let problems = starting('the process is starting');
  if (metricsServer !== undefined) {
    const { address } = opened(
      await openMetricsServer(metricsServer, { metrics, problems: () => problems() }),
    );
    process.stdout.write(`Metrics are on ${address}/metrics\n`);
  }
  return {
    waits: (line) => {
      process.stderr.write(`${line}\n`);
      problems = starting(`the process is starting: ${line}`);
    },
    started: (found) => void (problems = found),
  };
}

function watchAppends(writes: WriteWatch, log: ReadableEventLog): void {
  if (!isEventLog(log)) return;
  const largest = log.probeAppend?.bind(log);
  // The tombstone of a stream that never existed: the smallest harmless write.
  const committed = (): Promise<void> => log.deleteStream(`payload-${randomUUID()}`);
  if (largest !== undefined) writes.watch(appendPlace({ largest, committed }));
}

/** A temporary log: a process that only follows the log must not keep one that appends. */
async function withEventLog<T>(config: AdaptersConfig, work: (log: EventLog) => Promise<T>): Promise<T> {
  const log = await openEventLog(config);
  return work(log).finally(() => log.close());
}
