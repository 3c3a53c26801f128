import {
  GenerationReplaced,
  type ReadModels,
  sleep as sleepByTimer,
  type UnfinishedGeneration,
  untilDone,
} from '@rollcall/application/read';
import { PartLeases } from './part-leases.js';
import { type PartsRun, pollMs, projectParts } from './project-parts.js';

/** A builder whose claim is the same at this many polls in a row is helped no more. */
const maxSilentPolls = 5;

export interface HelpOptions extends Omit<PartsRun, 'readModels'> {
  readonly readModels: Pick<ReadModels, 'unfinishedGeneration'>;
  readonly signal: AbortSignal;
  /** Whose builds are this process's own. */
  readonly builder?: string;
}

/** Takes parts of the generations that other processes build, until the signal aborts. */
export async function helpBuilds({ readModels, builder, ...run }: HelpOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = run;
  let abandoned: string | undefined;
  const options = { signal, logger, sleep, message: 'read models that are being built got no help' };
  await untilDone(options, async () => {
    while (!signal.aborted) {
      const generation = await readModels.unfinishedGeneration();
      const claim = await generation?.claim();
      const isOthers = claim !== undefined && claim !== abandoned && claim.split(' ')[0] !== builder;
      if (generation !== undefined && isOthers) abandoned = await help(run, signal, generation);
      await sleep(pollMs, signal);
    }
  });
}

/** Begins once the builder has: before that it copies. Returns the claim that was renewed no more. */
async function help(
  run: Omit<PartsRun, 'readModels'>,
  signal: AbortSignal,
  generation: UnfinishedGeneration,
): Promise<string | undefined> {
  if (!(await generation.leases())) return undefined;
  let [claim, silent] = [await generation.claim(), 0];
  const ensure = async (): Promise<void> => {
    const before = claim;
    claim = await generation.claim();
    silent = claim === before ? silent + 1 : 0;
    if (claim === undefined || silent >= maxSilentPolls)
      throw new GenerationReplaced('nobody builds these read models any more');
  };
  run.logger?.info({}, 'this process helps to build read models');
  const leases = new PartLeases(generation, { takesOver: false });
  await projectParts({ ...run, readModels: generation }, leases, { signal, ensure });
  return claim;
}
