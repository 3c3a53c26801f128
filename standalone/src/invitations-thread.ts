import { parentPort, workerData } from 'node:worker_threads';
import { everyByTimer } from '@rollcall/application';
import { openAdapters, openTracing, processLogger, type TracingConfig } from '@rollcall/adapters';
import {
  newInvitationCounts,
  startInvitations,
  type InvitationCounts,
  type StartInvitationsOptions,
} from '@rollcall/worker';

/** What the thread is started with. A message, whatever it says, ends it. */
export interface InvitationsThreadData {
  readonly config: StartInvitationsOptions['config'];
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
  readonly tracing: TracingConfig | undefined;
}

/** What the thread tells from time to time. */
export interface InvitationsTold {
  /** Since its start. */
  readonly counts: InvitationCounts;
  /** Since it told of them last (ms). */
  readonly delays: readonly number[];
  readonly oldestMs: number;
}

const TELL_EVERY_MS = 500;

const stopped = new Promise<void>((resolve) => parentPort?.once('message', () => resolve()));
const { config, digestKey, logLevel, tracing: tracingConfig } = workerData as InvitationsThreadData;
const logger = await processLogger(logLevel);
const tracing = await openTracing(tracingConfig);
const adapters = await openAdapters(config.adapters);

const counts = newInvitationCounts();
let delays: number[] = [];
let oldestMs = 0;
const report = {
  counts,
  onDelay: (ms: number) => void delays.push(ms),
  onOldest: (ms: number) => void (oldestMs = ms),
};
const tell = (): Promise<void> => {
  parentPort?.postMessage({ counts, delays, oldestMs } satisfies InvitationsTold);
  delays = [];
  return Promise.resolve();
};

const stopTelling = everyByTimer(TELL_EVERY_MS, tell);
const invitations = await startInvitations({ config, adapters, digestKey, logger, report, tracing });
await stopped;
await invitations.close();
stopTelling();
await tell();
await adapters.close();
await tracing.close();
