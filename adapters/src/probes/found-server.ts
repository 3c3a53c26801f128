import type { Clock } from '@rollcall/application';

/** What a server says of itself when it is asked. */
export interface FoundServer {
  /** What it is and which: `EventStoreDB 23.10.8`. */
  readonly name: string;
  /** Why this version is not to be used; undefined for one that is. */
  readonly tooOld: string | undefined;
  /** How far its clock is ahead of this host's (ms), the time of the question taken out; undefined where it says nothing of it. */
  readonly clockAheadMs: number | undefined;
}

/** A clock that was read by somebody else between two looks at this one. */
export interface ReadBetween {
  readonly before: number;
  readonly after: number;
}

/** How far `theirs` (ms) was outside of the time in which it was read: 0 where the clocks may be the same. */
export function aheadOf(theirs: number, { before, after }: ReadBetween): number {
  if (theirs > after) return theirs - after;
  return theirs < before ? theirs - before : 0;
}

/** Asks, and looks at the clock before and after. */
export async function timed<T>(
  clock: Clock,
  ask: () => Promise<T>,
): Promise<{ answer: T; read: ReadBetween }> {
  const before = clock.now();
  const answer = await ask();
  return { answer, read: { before, after: clock.now() } };
}

/** Whether a version such as `2.10.9` is lower than another one; what follows the numbers is left out. */
export function isOlder(version: string, least: string): boolean {
  const parts = (text: string): number[] => text.split(/[^0-9]+/, 3).map(Number);
  const theirs = parts(version);
  const difference = parts(least)
    .map((part, index) => (theirs[index] ?? 0) - part)
    .find((part) => part !== 0);
  return difference !== undefined && difference < 0;
}
