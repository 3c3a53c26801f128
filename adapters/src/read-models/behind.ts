import { setTimeout as sleep } from 'node:timers/promises';
import type { BehindStream, BrokenStream } from '@rollcall/application';

/** What a store keeps of a stream that is not projected with the others. */
export type Apart = BrokenStream | BehindStream;

export const isBehind = (apart: Apart): apart is BehindStream => 'beat' in apart;
export const isBroken = (apart: Apart): apart is BrokenStream => !isBehind(apart);

interface Watched {
  /** Whether everything up to the wanted position is taken, within so many milliseconds. */
  readonly taken: (timeoutMs: number) => Promise<boolean>;
  readonly behind: () => Promise<readonly BehindStream[]>;
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
  const isAwaited = (one: BehindStream): boolean => stream === undefined || one.stream === stream;
  while ((await behind()).some(isAwaited)) {
    if (performance.now() >= deadline) return false;
    await sleep(pollMs);
  }
  return true;
}
