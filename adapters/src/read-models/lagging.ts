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
