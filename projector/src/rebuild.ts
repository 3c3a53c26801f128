import {
  everyByTimer,
  foreignReadModels,
  GenerationReplaced,
  type Position,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  type ReadModelWriter,
} from '@rollcall/application/read';
import type { ProjectionRun } from './projection.js';
import { projectShare, type SharingOptions } from './run-projector.js';
export type RebuildRun = Omit<ProjectionRun, 'readModels'>;

/** Projects into an unread store up to `position` (inclusive) or an abort, together with those who help. */
export async function rebuildInto(
  target: ReadModelReader & ReadModelWriter,
  run: RebuildRun & SharingOptions,
  position: Position | undefined,
): Promise<void> {
  if (position === undefined) return;
  const { signal = new AbortController().signal } = run;
  await projectShare({ ...run, readModels: target }, { signal, position });
}

export const CLAIM_RENEW_MS = 1_000;
/** A claim not renewed for this long has lapsed. */
export const CLAIM_LAPSE_MS = 5 * CLAIM_RENEW_MS;

/** Renews the claim meanwhile, and releases it at the end. */
export async function whileClaimed(
  generation: ReadModelGeneration,
  work: () => Promise<void>,
): Promise<void> {
  // The next write reports a lost claim or an outage.
  const stop = everyByTimer(CLAIM_RENEW_MS, () => generation.renewClaim().catch(() => undefined));
  try {
    await work();
  } finally {
    stop();
    await generation.releaseClaim().catch(() => undefined);
  }
}

/** Builds a new generation; switches once it has caught up. Retries parked streams. A later rebuild that switched wins. */
export async function rebuild(readModels: ReadModels, run: RebuildRun): Promise<void> {
  const generation = await readModels.newGeneration();
  try {
    await whileClaimed(generation, async () => {
      do {
        await rebuildInto(generation, run, await run.log.lastPosition());
        run.signal?.throwIfAborted();
      } while (await isBehind(generation, readModels, run));
      await generation.switchTo();
    });
  } catch (error) {
    await generation.drop();
    if (!(error instanceof GenerationReplaced)) throw error;
    run.logger?.info({ problem: error.message }, 'the read models are built anew by another process');
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
