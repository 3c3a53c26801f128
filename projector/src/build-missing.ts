import {
  foreignReadModels,
  untilDone,
  type ProcessLogger,
  type ReadModelGeneration,
  type ReadModels,
} from '@rollcall/application/read';
import { rebuildInto, type RebuildRun } from './rebuild.js';

export interface MissingOptions extends RebuildRun {
  readonly readModels: ReadModels;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
}

/**
 * Builds the generation of this version of the projections where no complete one is there, beside those that processes of
 * other versions read. It goes on with one that was begun, by whoever; so does the next start where the signal aborts in
 * the middle. An outage is tried again.
 */
export function buildMissing({ readModels, ...run }: MissingOptions): Promise<void> {
  const { logger, signal } = run;
  const message = 'the read models are not built yet';
  return untilDone({ logger, signal, message, level: 'error' }, async () => {
    if (await isThere(readModels)) return;
    const begun = await begin(readModels, run);
    logger.info({ generation: begun.name }, 'the read models of this version are built');
    await rebuildInto(begun, run, await run.log.lastPosition());
    if (!signal.aborted) await begun.switchTo();
  });
}

const isThere = async (readModels: ReadModels): Promise<boolean> =>
  (await readModels.generations()).some(({ status }) => status === 'live');

/** One that was begun from another log, or from this one before it was restored, is nothing to go on with. */
async function begin(readModels: ReadModels, { log }: RebuildRun): Promise<ReadModelGeneration> {
  const unfinished = await readModels.unfinishedGeneration();
  if (unfinished === undefined) return readModels.newGeneration();
  const foreign = await foreignReadModels(log, await unfinished.progress());
  return foreign === undefined ? unfinished : readModels.newGeneration();
}
