import type { Adapters } from '@rollcall/adapters';

const longestCatchUpMs = 10_000;

/** Waits until the read models know the whole log; where that takes long, answers may be old for a while. */
export async function upToDate({ log, readModels }: Adapters): Promise<void> {
  const last = await log.lastPosition();
  if (last !== undefined) await readModels.reached(last, longestCatchUpMs);
}
