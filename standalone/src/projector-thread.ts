import { parentPort, workerData } from 'node:worker_threads';
import { openAdapters, type AdaptersConfig } from '@rollcall/adapters';
import { openTracing, processLogger, withServersThere, type TracingConfig } from '@rollcall/host';
import { startProjector } from '@rollcall/projector';

/** Any message ends the thread. */
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
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const adapters = await withServersThere(config, () => openAdapters(config), { say, mostMs: Infinity });
const projector = startProjector({ adapters, digestKey, logger, tracing });
await stopped;
await projector.close();
await adapters.close();
await tracing.close();
