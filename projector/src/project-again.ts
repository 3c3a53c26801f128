import {
  loadEvent,
  type BrokenStream,
  type DocumentWrite,
  type LoadedEvent,
  type Progress,
} from '@rollcall/adapters';
import type { ProjectionRun } from './cursor.js';
import { isOutage, problemOf } from './problems.js';
import { partsOf } from './projection.js';

/**
 * Projects a broken stream from the event on that could not be applied, after its mend, and calls it whole again. Beside a
 * running projector: the store lets nobody pass an event by once the stream is whole. `whole` also where it was not
 * broken; `broken` where an event still cannot be applied.
 */
export async function projectAgain(run: ProjectionRun, stream: string): Promise<'whole' | BrokenStream> {
  for (;;) {
    const broken = (await run.readModels.brokenStreams()).find((one) => one.stream === stream);
    if (broken === undefined) return 'whole';
    const progress = await run.readModels.progress();
    const problem = await projectFrom(run, broken, progress);
    if (problem !== undefined) return problem;
    if (await run.readModels.clearBroken(stream, progress)) return 'whole';
  }
}

/** Up to `progress`; what lies behind it is projected after the stream is whole. */
async function projectFrom(
  run: ProjectionRun,
  { stream, revision: from }: BrokenStream,
  progress: Progress,
): Promise<BrokenStream | undefined> {
  for await (const recorded of run.log.readStream(stream, { from })) {
    if (progress.position === undefined || recorded.position > progress.position) return undefined;
    try {
      const event = loadEvent(run.log, recorded);
      await applyAll(run, event);
    } catch (error) {
      if (isOutage(error)) throw error;
      const broken = { stream, revision: recorded.revision, problem: problemOf(error) };
      await run.readModels.recordBroken(broken);
      return broken;
    }
  }
  return undefined;
}

async function applyAll(run: ProjectionRun, event: LoadedEvent): Promise<void> {
  for await (const part of partsOf(run.projections, event)) await applyBeside(run, event.stream, part);
  await run.onApplied?.(event);
}

/** Writes without moving the progress, at whatever moment the projector leaves room for it. */
async function applyBeside(
  run: ProjectionRun,
  stream: string,
  writes: readonly DocumentWrite[],
): Promise<void> {
  for (;;) {
    const progress = await run.readModels.progress();
    if (await run.readModels.apply(progress, writes, progress, [stream])) return;
    const broken = await run.readModels.brokenStreams();
    // Somebody else mended it meanwhile: what is written by now is newer than this.
    if (!broken.some((one) => one.stream === stream)) return;
  }
}
