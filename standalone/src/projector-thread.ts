import { parentPort, workerData } from 'node:worker_threads';
import { openAdapters, processLogger, type AdaptersConfig } from '@rollcall/adapters';
import { startProjector } from '@rollcall/projector';

/** What the thread is started with. A message, whatever it says, ends it. */
export interface ProjectorThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
}

const stopped = new Promise<void>((resolve) => parentPort?.once('message', () => resolve()));
const { adapters: config, digestKey, logLevel } = workerData as ProjectorThreadData;
const logger = await processLogger(logLevel);
const adapters = await openAdapters(config);
const projector = startProjector({ adapters, digestKey, logger });
await stopped;
await projector.close();
await adapters.close();
