import { randomUUID } from 'node:crypto';
import {
  foreignReadModels,
  GenerationReplaced,
  sleep as sleepByTimer,
  untilDone,
  type ProcessLogger,
  type ReadModelGeneration,
  type ReadModels,
  type Sleep,
} from '@rollcall/application/read';
import { copyUnchanged, isHalfCopied } from './copied-collections.js';
import { CLAIM_RENEW_MS, rebuildInto, whileClaimed, type RebuildRun } from './rebuild.js';

/** A claim not renewed for this long has lapsed. */
const CLAIM_LAPSE_MS = 5 * CLAIM_RENEW_MS;

/** Then everything is built from the log. */
const maxCopies = 3;

export interface MissingOptions extends RebuildRun {
  readonly readModels: Pick<ReadModels, 'claimBuild'>;
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/** Builds or resumes this version's generation if none is complete. Other processes wait, or take over a lapsed claim. */
export function buildMissing({ readModels, sleep = sleepByTimer, ...run }: MissingOptions): Promise<void> {
  const { logger, signal } = run;
  const message = 'the read models are not built yet';
  const builder = randomUUID();
  const copies = { left: maxCopies };
  return untilDone({ logger, signal, sleep, message, level: 'error' }, async () => {
    let [seen, stood] = ['', 0];
    while (!signal.aborted) {
      const turn = await readModels.claimBuild(builder, stood >= CLAIM_LAPSE_MS ? seen : undefined);
      if (turn.kind === 'complete') return;
      if (turn.kind === 'claimed') await build(turn.generation, run, copies);
      else {
        if (seen === '') logger.info({}, 'another process builds the read models of this version');
        stood = turn.claim === seen ? stood + CLAIM_RENEW_MS : 0;
        seen = turn.claim;
        await sleep(CLAIM_RENEW_MS, signal);
      }
    }
  });
}

type Run = RebuildRun & Pick<MissingOptions, 'logger' | 'signal'>;

async function build(generation: ReadModelGeneration, run: Run, copies: { left: number }): Promise<void> {
  const progress = await generation.progress();
  // One begun from another or a restored log is useless, and so is half a copy.
  if (isHalfCopied(progress) || (await foreignReadModels(run.log, progress))) return generation.drop();
  run.logger.info({ generation: generation.name }, 'the read models of this version are built');
  try {
    await whileClaimed(generation, async () => {
      const isNew = progress.position === undefined && !progress.copied && !progress.shares;
      if (isNew && copies.left > 0) {
        copies.left -= 1;
        await copyUnchanged(generation, run);
      }
      await rebuildInto(generation, run, await run.log.lastPosition());
      if (!run.signal.aborted) await generation.switchTo();
    });
  } catch (error) {
    if (run.signal.aborted) return;
    if (!(error instanceof GenerationReplaced)) throw error;
    run.logger.info({ problem: error.message }, 'the read models are built by another process');
  }
}
