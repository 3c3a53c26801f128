import {
  foreignReadModels,
  sleep,
  type Position,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  type ReadModelWriter,
} from '@rollcall/application/read';
import type { ProjectionRun } from './projection-run.js';
import { STAND_BY_MS, subscribe } from './run-projector.js';

/** Where the read models are to be built. */
export type RebuildTarget = ReadModelReader & ReadModelWriter;
export type RebuildRun = Omit<ProjectionRun, 'readModels'>;

/**
 * Projects the log into a store that nobody reads yet, up to `position` (inclusive), or until the signal aborts; nothing in an
 * empty log. Several may do it at once: whoever is overtaken lets the other go on for a moment.
 */
export async function rebuildInto(
  target: RebuildTarget,
  run: RebuildRun,
  position: Position | undefined,
): Promise<void> {
  if (position === undefined) return;
  const { signal = new AbortController().signal } = run;
  while ((await subscribe({ ...run, readModels: target }, { signal, position })) === 'overtaken') {
    if (signal.aborted) return;
    await sleep(STAND_BY_MS, signal);
  }
}

/**
 * Builds the read models anew from the log and switches to them: a new generation catches up with the live one first, so
 * that nobody sees an older state. Where the live one is not this log's, or there is none, it ends at the log's end instead.
 * What was broken is tried again on the way.
 */
export async function rebuild(readModels: ReadModels, run: RebuildRun): Promise<void> {
  const generation = await readModels.newGeneration();
  try {
    do await rebuildInto(generation, run, await run.log.lastPosition());
    while (await isBehind(generation, readModels, run));
    await generation.switchTo();
  } catch (error) {
    await generation.drop();
    throw error;
  }
}

async function isBehind(
  generation: ReadModelGeneration,
  readModels: ReadModels,
  { log }: RebuildRun,
): Promise<boolean> {
  const live = (await readModels.generations()).find(({ status }) => status === 'live')?.progress;
  if (live?.position === undefined || (await generation.reachedPosition(live.position, 0))) return false;
  return (await foreignReadModels(log, live)) === undefined;
}
