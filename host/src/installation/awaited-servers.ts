import { setTimeout as wait } from 'node:timers/promises';
import {
  EventLogUnavailable,
  LogRefused,
  problemOf,
  QueueUnavailable,
  ReadModelsUnavailable,
} from '@rollcall/application';
import type { AdaptersConfig } from '@rollcall/adapters';

/** A command waits this long for a server that starts or elects a leader. */
const COMMAND_MS = 10_000;
const PAUSE_MS = 250;

type StoreChoices = Pick<AdaptersConfig, 'eventLog' | 'readModels' | 'queue'>;

interface WhileWaiting {
  /** Reports why, before the first wait and on each new reason. */
  readonly say: (line: string) => void;
  /** Infinite for a process, which also waits for a missing user or right. */
  readonly mostMs?: number;
  readonly now?: () => number;
  /** By `now`; of several works that share one time limit. */
  readonly begun?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Repeats idempotent work while a store's server is away or has no leader. Throws the outage after the time limit. */
export async function withServersThere<T>(
  stores: StoreChoices,
  work: () => Promise<T>,
  { say, mostMs = COMMAND_MS, ...time }: WhileWaiting,
): Promise<T> {
  const { now, sleep } = { now: () => performance.now(), sleep: (ms: number) => wait(ms), ...time };
  const { begun = now() } = time;
  for (let said = ''; ;) {
    try {
      return await work();
    } catch (error) {
      const leftMs = isOfServer(error, stores) ? mostMs - (now() - begun) : 0;
      if (!isWorthWaiting(error, leftMs)) throw error;
      const why = problemOf(error);
      if (why !== said) say(`${why}. Waiting${untilText(mostMs)}.`);
      said = why;
    }
    await sleep(PAUSE_MS);
  }
}

const untilText = (mostMs: number): string => (mostMs === Infinity ? '' : ` for up to ${mostMs / 1_000} s`);

const isWorthWaiting = (error: unknown, leftMs: number): boolean =>
  leftMs > 0 && (leftMs === Infinity || !(error instanceof LogRefused));

/** An unusable embedded store does not recover by itself. */
function isOfServer(error: unknown, { eventLog, readModels, queue }: StoreChoices): boolean {
  if (error instanceof EventLogUnavailable) return eventLog.kind !== 'embedded';
  if (error instanceof ReadModelsUnavailable) return readModels.kind !== 'embedded';
  return error instanceof QueueUnavailable && queue.kind !== 'embedded';
}
