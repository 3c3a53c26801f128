import { Worker } from 'node:worker_threads';
import type { AdaptersConfig } from '@rollcall/adapters';
import { everyByTimer, problemOf, type CallTerm } from '@rollcall/application';
import type { ReadModelsVerdict } from '@rollcall/projector';
import type { Session } from '../session.js';

export interface VerifyThreadData {
  readonly adapters: AdaptersConfig;
  readonly callTerm: CallTerm;
  /** Whether it is to end; the last position that it has read; the collection that it compares. */
  readonly shared: BigInt64Array;
}

/** Of a smaller log the work takes less time than the start of a thread. */
const leastPosition = 5_000n;
const lookMs = 200;

export interface VerifyBeside {
  /** Undefined where the thread failed: the caller does its work. */
  verdict(onLook: (read: bigint, compared: bigint) => void): Promise<ReadModelsVerdict | undefined>;
  close(): Promise<void>;
}

/** Verifies the read models of a large embedded log in a thread, while the log is verified. */
export async function verifyBeside({
  log,
  config,
  io,
}: Pick<Session, 'log' | 'config' | 'io'>): Promise<VerifyBeside | undefined> {
  const { adapters, callTerm } = config;
  if (adapters.eventLog.kind !== 'embedded' || ((await log.lastPosition()) ?? 0n) < leastPosition)
    return undefined;
  const shared = new BigInt64Array(new SharedArrayBuffer(24));
  const data: VerifyThreadData = { adapters, callTerm, shared };
  const worker = new Worker(new URL('./verify-thread.js', import.meta.url), { workerData: data });
  let verdict: ReadModelsVerdict | undefined;
  worker.on('message', (found: ReadModelsVerdict) => (verdict = found));
  let failure = 'it ended';
  worker.on('error', (error) => (failure = problemOf(error)));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    verdict: async (onLook) => {
      const stop = everyByTimer(lookMs, () => Promise.resolve(onLook(shared[1] ?? 0n, shared[2] ?? 0n)));
      await ended;
      stop();
      if (verdict === undefined)
        io.err(`The thread for the read models failed, so that they are compared without it: ${failure}\n`);
      return verdict;
    },
    close: async () => {
      shared[0] = 1n;
      await ended;
    },
  };
}
