import type { Clock } from '@rollcall/application';

export interface FoundServer {
  readonly name: string;
  /** Undefined for a supported version. */
  readonly tooOld: string | undefined;
  /** Undefined if unknown. */
  readonly clockAheadMs: number | undefined;
}

/** A foreign clock, read between two readings of our own. */
interface ReadBetween {
  readonly before: number;
  readonly after: number;
}

/** In ms; 0 if the clocks may agree. */
export function aheadOf(theirs: number, { before, after }: ReadBetween): number {
  if (theirs > after) return theirs - after;
  return theirs < before ? theirs - before : 0;
}

export async function timed<T>(
  clock: Clock,
  ask: () => Promise<T>,
): Promise<{ answer: T; read: ReadBetween }> {
  const before = clock.now();
  const answer = await ask();
  return { answer, read: { before, after: clock.now() } };
}

export function isOlder(version: string, least: string): boolean {
  const parts = (text: string): number[] => text.split(/[^0-9]+/, 3).map(Number);
  const theirs = parts(version);
  const difference = parts(least)
    .map((part, index) => (theirs[index] ?? 0) - part)
    .find((part) => part !== 0);
  return difference !== undefined && difference < 0;
}
