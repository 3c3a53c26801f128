import {
  GenerationReplaced,
  monotonicMs,
  repeatedly,
  type UnfinishedGeneration,
  type ProcessLogger,
  type ReadModels,
} from '@rollcall/application/read';
import { isHeld, isHeldHere, leaseLookMs } from './part-lease.js';
import { CLAIM_LAPSE_MS, type RebuildRun } from './rebuild.js';
import { projectShare, type SharingOptions, unlessReplaced } from './run-projector.js';

interface HelpOptions extends RebuildRun, SharingOptions {
  readonly readModels: Pick<ReadModels, 'unfinishedGeneration'>;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  /** The generation may be live by now, with events that only the helper has applied. */
  readonly onHelped?: () => unknown;
}

/** Takes parts of each generation that another process builds, until the signal aborts. */
export async function helpBuilds({ readModels, onHelped, ...run }: HelpOptions): Promise<void> {
  const { logger, signal, timer = monotonicMs } = run;
  const message = 'the read models that are being built get no help';
  let renewal: { readonly claim: string | undefined; readonly at: number } | undefined;
  await repeatedly({ ...run, message, everyMs: leaseLookMs }, async () => {
    const generation = await builtOne();
    const { shares = [] } = (await generation?.progress()) ?? {};
    // What is copied into it comes first. Its builder does not help itself.
    if (generation && shares.some(isHeld) && !shares.some(isHeldHere)) await help(generation);
  });

  /** Undefined too once its builder does not renew the claim any more. */
  async function builtOne(): Promise<UnfinishedGeneration | undefined> {
    const found = await readModels.unfinishedGeneration();
    if (renewal?.claim !== found?.claim) renewal = { claim: found?.claim, at: timer() };
    return renewal?.claim !== undefined && timer() - renewal.at < CLAIM_LAPSE_MS ? found : undefined;
  }

  async function help(generation: UnfinishedGeneration): Promise<void> {
    const check = async (): Promise<void> => {
      if ((await builtOne())?.name !== generation.name) throw new GenerationReplaced();
    };
    logger.info({ generation: generation.name }, 'read models that are being built get help');
    await unlessReplaced(() => projectShare({ ...run, readModels: generation }, { signal, check }));
    onHelped?.();
  }
}
