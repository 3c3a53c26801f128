import { parentPort, workerData } from 'node:worker_threads';
import { openAdapters, systemClock, type AdaptersConfig } from '@rollcall/adapters';
import { createLogger } from '@rollcall/api';
import { Digester } from '@rollcall/domain';
import { CompanySnapshots, projections, runProjector, runSweeper } from '@rollcall/projector';

/** What the thread is started with. A message, whatever it says, ends it. */
export interface ProjectorThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
}

/** How much the company states that become snapshots may weigh together. */
const cacheBytes = 64 * 1024 * 1024;

async function main(data: ProjectorThreadData, signal: AbortSignal): Promise<void> {
  const logger = createLogger(data.logLevel);
  const { log, readModels, ...adapters } = await openAdapters(data.adapters);
  const digester = new Digester(data.digestKey);
  const snapshots = new CompanySnapshots({ log, readModels, digester, cacheBytes, logger });
  await Promise.all([
    runProjector({
      log,
      readModels,
      projections,
      signal,
      logger,
      onApplied: (event) => Promise.resolve(snapshots.onApplied(event)),
    }),
    runSweeper({ log, clock: systemClock, logger, signal }),
  ]);
  await snapshots.settled();
  await adapters.close();
}

const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
await main(workerData as ProjectorThreadData, stop.signal);
