import { setTimeout as wait } from 'node:timers/promises';
import { EventLogUnavailable, problemOf } from '@rollcall/application';
import type { AdaptersConfig } from '../adapters-config.js';

/** A server that starts, or elects its leader, is waited for so long. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;

/** What gRPC calls a caller who is not let in: waiting helps nobody. */
const REFUSED = [7, 16];

export interface WhileWaiting {
  /** Told once, before the first wait. */
  readonly say: (line: string) => void;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * What the work resolves with. Where the server of a log is away, is without a leader or goes away in the middle, the work
 * is begun anew for 10 s, so it has to be such that this does no harm; `EventLogUnavailable` where the server does not come,
 * or refuses its user.
 */
export async function withLogThere<T>(
  { eventLog }: Pick<AdaptersConfig, 'eventLog'>,
  work: () => Promise<T>,
  { say, ...time }: WhileWaiting,
): Promise<T> {
  const { now, sleep } = { now: () => performance.now(), sleep: (ms: number) => wait(ms), ...time };
  const begun = now();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (error) {
      const isOver = eventLog.kind === 'embedded' || now() - begun >= PATIENCE_MS;
      if (isOver || !isWorthWaiting(error)) throw error;
      if (isFirst) say(`${problemOf(error)}. Waiting for up to ${PATIENCE_MS / 1_000} s.\n`);
    }
    await sleep(PAUSE_MS);
  }
}

function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof EventLogUnavailable)) return false;
  const { cause } = error;
  return !(cause instanceof Error && 'code' in cause && REFUSED.some((code) => code === cause.code));
}
