import { parentPort, workerData } from 'node:worker_threads';
import { everyByTimer } from '@rollcall/application';
import { openAdapters } from '@rollcall/adapters';
import {
  openTracing,
  processLogger,
  queueRefusals,
  type TracingConfig,
  withServersThere,
} from '@rollcall/host';
import {
  newInvitationCounts,
  startInvitations,
  type InvitationCounts,
  type StartInvitationsOptions,
} from '@rollcall/worker';

export interface InvitationsThreadData {
  readonly config: StartInvitationsOptions['config'];
  readonly digestKey: Uint8Array;
  readonly logLevel: string;
  readonly tracing: TracingConfig | undefined;
}

export interface InvitationsMessage {
  /** Since its start. */
  readonly counts: InvitationCounts;
  /** In ms, since its last message. */
  readonly delays: readonly number[];
  readonly oldestMs: number;
  /** Of the thread's own queue, which alone sends these messages. */
  readonly refusals: readonly string[];
}

const reportEveryMs = 500;
const lookEveryMs = 5_000;

const stopped = new Promise<void>((resolve) => parentPort?.once('message', () => resolve()));
const { config, digestKey, logLevel, tracing: tracingConfig } = workerData as InvitationsThreadData;
const logger = await processLogger(logLevel);
const tracing = await openTracing(tracingConfig);
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const adapters = await withServersThere(config.adapters, () => openAdapters(config.adapters), {
  say,
  mostMs: Infinity,
});

const counts = newInvitationCounts();
let delays: number[] = [];
let oldestMs = 0;
const report = {
  counts,
  onDelay: (ms: number) => void delays.push(ms),
  onOldest: (ms: number) => void (oldestMs = ms),
};
let refusals: readonly string[] = [];
const lookAtQueue = async (): Promise<void> => {
  refusals = await queueRefusals(adapters.queue, ['invitations']).catch(() => []);
};
const sendReport = (): Promise<void> => {
  parentPort?.postMessage({ counts, delays, oldestMs, refusals } satisfies InvitationsMessage);
  delays = [];
  return Promise.resolve();
};

const stopLooking = everyByTimer(lookEveryMs, lookAtQueue);
const stopReporting = everyByTimer(reportEveryMs, sendReport);
const invitations = await startInvitations({ config, adapters, digestKey, logger, report, tracing });
await stopped;
await invitations.close();
stopLooking();
stopReporting();
await sendReport();
await adapters.close();
await tracing.close();
