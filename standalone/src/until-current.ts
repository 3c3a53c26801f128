import { lastProjected } from '@rollcall/application';
import type { Stores } from '@rollcall/adapters';

const longestCatchUpMs = 10_000;

export async function untilCurrent({ log, readModels }: Stores): Promise<void> {
  const last = await lastProjected(log);
  if (last !== undefined) await readModels.reachedPosition(last, longestCatchUpMs);
}
