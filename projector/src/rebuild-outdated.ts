import {
  foreignReadModels,
  framesOf,
  growingDelay,
  problemOf,
  sleep,
  type ProcessLogger,
  type ReadModels,
} from '@rollcall/application/read';
import { rebuild, type RebuildRun } from './rebuild.js';

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;

export interface OutdatedOptions extends RebuildRun {
  readonly readModels: ReadModels;
  readonly version: string;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
}

/**
 * Builds read models that another version of the projections made anew, beside those that are read meanwhile, and switches to
 * them. An outage is tried again until the signal aborts. Read models of another log are left to a person.
 */
export async function rebuildOutdated(options: OutdatedOptions): Promise<void> {
  const { readModels, logger, signal, log, projections, version } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      if (!(await isOutdated(options))) return;
      logger.info({ version }, 'another version made the read models: they are built anew');
      return await rebuild(readModels, { log, projections, version, logger });
    } catch (error) {
      logger.error(
        { problem: problemOf(error), frames: framesOf(error) },
        'the read models are not built yet',
      );
      await sleep(growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS), signal);
    }
  }
}

async function isOutdated({ readModels, log, version }: OutdatedOptions): Promise<boolean> {
  const progress = await readModels.progress();
  if (progress.position === undefined || progress.last?.projections === version) return false;
  return (await foreignReadModels(log, progress)) === undefined;
}
