import {
  foreignReadModels,
  type Position,
  type ReadModelReader,
  type ReadModels,
  type ReadModelWriter,
} from '@rollcall/application/read';
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
 * that nobody sees an older state. Where the live one is not this log's, it ends at the log's end instead. What was broken is
 * tried again on the way. The old generation goes an hour later.
 */
export async function rebuild(readModels: ReadModels, run: RebuildRun): Promise<void> {
  const generation = await readModels.newGeneration();
  try {
    for (;;) {
      await rebuildInto(generation, run, await run.log.lastPosition());
      const live = await readModels.progress();
      if (live.position === undefined || (await generation.reached(live.position, 0))) break;
      if ((await foreignReadModels(run.log, live)) !== undefined) break;
    }
    await generation.switchTo();
  } catch (error) {
    await generation.drop();
    throw error;
  }
}
