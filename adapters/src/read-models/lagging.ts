import { setTimeout as sleep } from 'node:timers/promises';
import type { LaggingStream, ParkedStream } from '@rollcall/application';

/** What a store keeps of a stream that is not projected with the others. */
export type ParkedOrLagging = ParkedStream | LaggingStream;

export const isLagging = (apart: ParkedOrLagging): apart is LaggingStream => 'beat' in apart;
export const isParked = (apart: ParkedOrLagging): apart is ParkedStream => !isLagging(apart);

interface Watched {
  /** Whether everything up to the wanted position is taken, within so many milliseconds. */
  readonly taken: (timeoutMs: number) => Promise<boolean>;
  readonly behind: () => Promise<readonly LaggingStream[]>;
  readonly pollMs: number;
}

/** Waits until everything is taken and the stream, or each where none is named, is not behind. */
export async function untilShown(
  { taken, behind, pollMs }: Watched,
  timeoutMs: number,
  stream?: string,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  if (!(await taken(timeoutMs))) return false;
  const isAwaited = (one: LaggingStream): boolean => stream === undefined || one.stream === stream;
  while ((await behind()).some(isAwaited)) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}
