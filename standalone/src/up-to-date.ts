import { lastProjected } from '@rollcall/application';
import type { Stores } from '@rollcall/adapters';

const longestCatchUpMs = 10_000;

/** Waits until the read models know the whole log; where that takes long, answers may be old for a while. */
export async function upToDate({ log, readModels }: Stores): Promise<void> {
  const last = await lastProjected(log);
  if (last !== undefined) await readModels.reachedPosition(last, longestCatchUpMs);
}
