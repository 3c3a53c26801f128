import type { Closable } from '@rollcall/adapters';
import type { InvitationReport } from '@rollcall/worker';
import type { InvitationsThreadData, InvitationsMessage } from './invitations-thread.js';
import type { ProjectorThreadData } from './projector-thread.js';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { threadLimits } from '@rollcall/application';

interface PartThreadOptions {
  /** The thread's bundle, next to this one. */
  readonly file: `./${string}.js`;
  readonly name: string;
  readonly data: unknown;
  readonly onMessage?: (message: unknown) => void;
}

/** Runs a part in its own thread, so that its work delays no call. If the thread ends unexpectedly, the process stops. */
function startPartThread({ file, name, data, onMessage }: PartThreadOptions): Closable {
  const worker = new Worker(fileURLToPath(new URL(file, import.meta.url)), {
    workerData: data,
    resourceLimits: threadLimits,
  });
  let closing = false;
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  if (onMessage) worker.on('message', onMessage);
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      resolve();
      if (!closing) throw new Error(`${name} ended`, { cause });
    });
  });
  return {
    close: () => {
      if (!closing) worker.postMessage('stop');
      closing = true;
      return ended;
    },
  };
}

export const startProjectorThread = (data: ProjectorThreadData): Closable =>
  startPartThread({ file: './projector-thread.js', name: 'The projector', data });

type ThreadReport = InvitationReport & { refusals: readonly string[] };

export function startInvitationsThread(data: InvitationsThreadData, report: ThreadReport): Closable {
  if (data.config.invitations.rate.total === 0) return { close: () => Promise.resolve() };
  const onMessage = (message: unknown): void => {
    const { counts, delays, oldestMs, refusals } = message as InvitationsMessage;
    report.refusals = refusals;
    Object.assign(report.counts, counts);
    for (const ms of delays) report.onDelay(ms);
    report.onOldest(oldestMs);
  };
  return startPartThread({
    file: './invitations-thread.js',
    name: 'What sends invitations',
    data,
    onMessage,
  });
}
