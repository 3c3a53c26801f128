import {
  GenerationReplaced,
  repeatedly,
  type UnfinishedGeneration,
  type ProcessLogger,
  type ReadModels,
} from '@rollcall/application/read';
import { isHeld, isHeldHere, leaseLookMs } from './part-lease.js';
import type { RebuildRun } from './rebuild.js';
import { projectShare, type SharingOptions, unlessReplaced } from './run-projector.js';

interface HelpOptions extends RebuildRun, SharingOptions {
  readonly readModels: Pick<ReadModels, 'unfinishedGeneration'>;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
}

/** Takes parts of each generation that another process builds, until the signal aborts. */
export async function helpBuilds({ readModels, ...run }: HelpOptions): Promise<void> {
  const { logger, signal } = run;
  const message = 'the read models that are being built get no help';
  await repeatedly({ ...run, message, everyMs: leaseLookMs }, async () => {
    const generation = await readModels.unfinishedGeneration();
    const { shares = [] } = (await generation?.progress()) ?? {};
    // What is copied into it comes first. Its builder does not help itself.
    if (generation && shares.some(isHeld) && !shares.some(isHeldHere)) await help(generation);
  });

  async function help(generation: UnfinishedGeneration): Promise<void> {
    const check = async (): Promise<void> => {
      if ((await readModels.unfinishedGeneration())?.name !== generation.name) throw new GenerationReplaced();
    };
    logger.info({ generation: generation.name }, 'read models that are being built get help');
    await unlessReplaced(() => projectShare({ ...run, readModels: generation }, { signal, check }));
  }
}
