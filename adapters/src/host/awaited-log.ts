import { setTimeout as wait } from 'node:timers/promises';
import { isOutage, problemOf, type ReadableEventLog } from '@rollcall/application/read';
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
 * Resolves once the log answers. The server of one is given 10 s where it is away or without a leader; `EventLogUnavailable`
 * where it does not come, or refuses its user.
 */
export async function untilLogAnswers(
  log: Pick<ReadableEventLog, 'readLast'>,
  { eventLog }: Pick<AdaptersConfig, 'eventLog'>,
  { say, now = () => performance.now(), sleep = (ms) => wait(ms) }: WhileWaiting,
): Promise<void> {
  const begun = now();
  for (let isFirst = true; eventLog.kind !== 'embedded'; isFirst = false) {
    try {
      await log.readLast('installation');
      return;
    } catch (error) {
      if (!isWorthWaiting(error) || now() - begun >= PATIENCE_MS) throw error;
      if (isFirst) say(`${problemOf(error)}. Waiting for up to ${PATIENCE_MS / 1_000} s.\n`);
    }
    await sleep(PAUSE_MS);
  }
}

function isWorthWaiting(error: unknown): boolean {
  if (!isOutage(error)) return false;
  const { cause } = error;
  return !(cause instanceof Error && 'code' in cause && REFUSED.some((code) => code === cause.code));
}
