import { parentPort, workerData } from 'node:worker_threads';
import {
  openAdapters,
  openTracing,
  processLogger,
  type AdaptersConfig,
  type TracingConfig,
} from '@rollcall/adapters';
import { startProjector } from '@rollcall/projector';

/** What the thread is started with. A message, whatever it says, ends it. */
export interface ProjectorThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
  readonly tracing: TracingConfig | undefined;
}

const stopped = new Promise<void>((resolve) => parentPort?.once('message', () => resolve()));
const { adapters: config, digestKey, logLevel, tracing: tracingConfig } = workerData as ProjectorThreadData;
const logger = await processLogger(logLevel);
const tracing = await openTracing(tracingConfig);
const adapters = await openAdapters(config);
const projector = startProjector({ adapters, digestKey, logger, tracing });
await stopped;
await projector.close();
await adapters.close();
await tracing.close();
