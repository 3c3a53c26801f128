import { setTimeout as sleep } from 'node:timers/promises';
import type { LaggingStream, ParkedStream, StreamChanges } from '@rollcall/application';

/** What a store keeps of a stream that is not projected with the others. */
export type ParkedOrLagging = ParkedStream | LaggingStream;

export const isParked = (one: ParkedOrLagging): one is ParkedStream => 'problem' in one;
export const isLagging = (one: ParkedOrLagging): one is LaggingStream => !isParked(one);

/** Whether the streams are as a change wants them; `find` gives what is stored of one. */
export function areAsExpected(
  { skipped = [], expected }: StreamChanges,
  find: (stream: string) => ParkedOrLagging | undefined,
): boolean {
  if (skipped.some((stream) => find(stream) === undefined)) return false;
  if (expected === undefined) return true;
  const stored = find(expected.stream);
  return stored?.revision === expected.revision && (stored.parts ?? 0) === (expected.parts ?? 0);
}

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
