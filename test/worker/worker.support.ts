import type { RunResult } from '@rollcall/application';
import { newWorkerCounts, runWorker, type WorkerCounts } from '@rollcall/worker';
import type { Test } from 'tap';
import { HandSleep } from '../support/hand-sleep.js';
import { ManualTime } from '../support/manual-timer.js';
import { RecordedLog } from '../support/recorded-log.js';
import { HandQueue } from './hand-queue.js';
import { HandRunner } from './hand-runner.js';

export interface WorkerRig {
  readonly queue: HandQueue;
  readonly runner: HandRunner;
  readonly counts: WorkerCounts;
  readonly log: RecordedLog;
  readonly sleep: HandSleep;
  readonly time: ManualTime;
  /** Tells the worker to stop; resolves when it has. */
  stop(): Promise<void>;
}

/** A worker between a queue and a runner that the test drives; it is stopped with the test. */
export function startRig(t: Test, concurrency = 4): WorkerRig {
  const queue = new HandQueue();
  const runner = new HandRunner();
  const counts = newWorkerCounts();
  const log = new RecordedLog();
  const sleep = new HandSleep();
  const time = new ManualTime();
  const end = new AbortController();
  const running = runWorker({
    queue,
    runner,
    counts,
    logger: log,
    concurrency,
    signal: end.signal,
    sleep: sleep.sleep,
    every: time.every,
  });
  const stop = (): Promise<void> => {
    end.abort();
    return running;
  };
  t.teardown(() => end.abort());
  return { queue, runner, counts, log, sleep, time, stop };
}

/** Answers the next look; gives the company that was looked at. */
export async function answer({ runner }: WorkerRig, of: (companyId: number) => RunResult): Promise<number> {
  const look = await runner.look();
  look.answer(of(look.companyId));
  return look.companyId;
}

/** Lets everything that can go on without the test go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
