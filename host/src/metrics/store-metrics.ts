import type { ImportKind } from '@rollcall/contracts';
import {
  type EventLog,
  type Position,
  eventsToEnd,
  notBehindHolds,
  readPendingImports,
  queueNames,
  type Queue,
  type ReadModelReader,
} from '@rollcall/application';

import { builtShare, readModelLag, type ProjectedStores } from '../health/read-model-lag.js';
import type { Damage, ObserveEventLog } from '../event-log/watched-log.js';
import type { Metrics } from './metrics.js';

/** Limit for counting a lag. */
export const MOST_LAG = 10_000;

/** Events after a position, up to `MOST_LAG` or until the signal aborts. Throws where the log did not answer. */
export async function lagInEvents(
  log: Pick<EventLog, 'lastPosition' | 'subscribeToAll'>,
  after: Position | undefined,
  signal: AbortSignal,
): Promise<number> {
  if ((await log.lastPosition()) === after) return 0;
  let events = 0;
  const behind = eventsToEnd(log, after, signal);
  try {
    while (events < MOST_LAG && !(await behind.next()).done) events += 1;
  } catch (error) {
    if (events === 0) throw error;
  }
  await behind.return(undefined);
  return events;
}

export interface WatchedStores extends ProjectedStores {
  readonly readModels: ProjectedStores['readModels'] &
    Pick<ReadModelReader, 'parkedStreams' | 'findByIndex' | 'getMany'>;
  readonly queue?: Pick<Queue, 'depth'>;
  readonly damage?: Pick<Damage, 'streams'>;
}

export function watchStores(metrics: Metrics, stores: WatchedStores): void {
  watchProjections(metrics, stores);
  watchPendingImports(metrics, stores);
  if (stores.queue) watchQueue(metrics, stores.queue);
}

function watchProjections(metrics: Metrics, stores: WatchedStores): void {
  const { log, readModels } = stores;
  const { projectionLag, projectionLagSeconds, builtReadModels, parkedStreams } = metrics.families;
  metrics.watchOne('projection_lag', projectionLag, async (signal) =>
    lagInEvents(log, (await readModels.progress()).position, signal),
  );
  metrics.watchOne(
    'projection_lag_seconds',
    projectionLagSeconds,
    async (signal) => (await readModelLag(stores, signal)).ms / 1_000,
  );
  metrics.watchOne('read_models_built', builtReadModels, async () => (await builtShare(stores)) ?? 1);
  metrics.watchOne('parked_streams', parkedStreams, async () => {
    const { length } = await readModels.parkedStreams();
    return length + (stores.damage?.streams.size ?? 0);
  });
}

const kinds: readonly ImportKind[] = ['employees', 'managers'];

function watchPendingImports(metrics: Metrics, { readModels, clock }: WatchedStores): void {
  const { pendingImports, oldestPendingImport } = metrics.families;
  metrics.watch({
    part: 'pending_imports',
    gauges: [pendingImports, oldestPendingImport],
    read: async () => {
      const pending = notBehindHolds(await readPendingImports(readModels));
      const now = clock.now();
      const ages = pending.map(({ queuedAt }) => (now - Date.parse(queuedAt)) / 1_000);
      return () => {
        for (const kind of kinds)
          pendingImports.set({ kind }, pending.filter((one) => one.kind === kind).length);
        oldestPendingImport.set(ages.reduce((oldest, age) => Math.max(oldest, age), 0));
      };
    },
  });
}

function watchQueue(metrics: Metrics, queue: Pick<Queue, 'depth'>): void {
  const { queueMessages } = metrics.families;
  metrics.watch({
    part: 'queue',
    gauges: [queueMessages],
    read: async () => {
      const depths = await Promise.all(queueNames.map((name) => queue.depth(name)));
      return () => {
        for (const [index, { waiting, unsettled }] of depths.entries()) {
          const name = queueNames[index] ?? '';
          queueMessages.set({ queue: name, state: 'waiting' }, waiting);
          queueMessages.set({ queue: name, state: 'unsettled' }, unsettled);
        }
      };
    },
  });
}

export const eventLogObserver =
  ({ families }: Metrics): ObserveEventLog =>
  (operation, seconds, failed) => {
    if (!Number.isNaN(seconds)) families.eventLogCalls.observe({ operation }, seconds);
    if (failed) families.eventLogFailures.inc({ operation });
  };
