import type { Position, ReadModelReader, ReadModels, ReadModelWriter } from '@rollcall/application/read';
import type { ProjectionRun } from './projection-run.js';
import { subscribe } from './run-projector.js';

/** Where the read models are to be built. */
export type RebuildTarget = ReadModelReader & ReadModelWriter;
export type RebuildRun = Omit<ProjectionRun, 'readModels'>;

/** Projects the log into a store that nobody reads yet, up to `position` (inclusive); nothing in an empty log. */
export async function rebuildInto(
  target: RebuildTarget,
  run: RebuildRun,
  position: Position | undefined,
): Promise<void> {
  if (position === undefined) return;
  const { signal } = new AbortController();
  while ((await subscribe({ ...run, readModels: target }, { signal, position })) === 'overtaken');
}

/**
 * Builds the read models anew from the log and switches to them: a new generation catches up with the live one first, so
 * that nobody sees an older state. What was broken is tried again on the way. The old generation goes an hour later.
 */
export async function rebuild(readModels: ReadModels, run: RebuildRun): Promise<void> {
  const generation = await readModels.newGeneration();
  try {
    for (;;) {
      const live = await readModels.progress();
      await rebuildInto(generation, run, (await run.log.lastPosition()) ?? live.position);
      const now = await readModels.progress();
      if (now.position === undefined || (await generation.reached(now.position, 0))) break;
    }
    await generation.switchTo();
  } catch (error) {
    await generation.drop();
    throw error;
  }
}
