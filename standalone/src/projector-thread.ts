import { parentPort, workerData } from 'node:worker_threads';
import { openAdapters, type AdaptersConfig } from '@rollcall/adapters';
import type { CallTerm } from '@rollcall/application';
import { openTracing, processLogger, withServersThere, type TracingConfig } from '@rollcall/host';
import { startProjector } from '@rollcall/projector';

/** Any message ends the thread. */
export interface ProjectorThreadData {
  readonly adapters: AdaptersConfig;
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
  readonly tracing: TracingConfig | undefined;
  readonly callTerm: CallTerm;
  readonly verifyEveryMs: number;
}

const stopped = new Promise<void>((resolve) => parentPort?.once('message', () => resolve()));
const given = workerData as ProjectorThreadData;
const { adapters: config, digestKey, logLevel, tracing: tracingConfig, callTerm, verifyEveryMs } = given;
const logger = await processLogger(logLevel);
const tracing = await openTracing(tracingConfig);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const adapters = await withServersThere(config, () => openAdapters(config), { say, mostMs: Infinity });
const projector = startProjector({ adapters, digestKey, callTerm, verifyEveryMs, logger, tracing });
await stopped;
await projector.close();
await adapters.close();
await tracing.close();
