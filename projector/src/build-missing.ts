import { randomUUID } from 'node:crypto';
import {
  employeeSetsCollection,
  foreignReadModels,
  GenerationReplaced,
  ReadModelsUnavailable,
  setOfDocument,
  sleep as sleepByTimer,
  untilDone,
  type CopiedCollections,
  type ProcessLogger,
  type Progress,
  type ReadModelGeneration,
  type ReadModelReader,
  type ReadModels,
  type Sleep,
} from '@rollcall/application/read';
import { callCollections } from './call-keeper.js';
import { type AnyProjection, collectionsOf } from './projection.js';
import { CLAIM_LAPSE_MS, CLAIM_RENEW_MS, rebuildInto, whileClaimed, type RebuildRun } from './rebuild.js';

/** Then everything is built from the log. */
const maxCopies = 3;

interface MissingOptions extends RebuildRun {
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

/**
 * Copies collections with an unchanged number into a new generation. Their documents hold every event up to the progress that is read first,
 * and perhaps later ones, whose repetition does nothing. After a failure the generation is half copied.
 */
async function copyUnchanged(generation: ReadModelGeneration, run: Run): Promise<void> {
  const source = await generation.copySource();
  if (source === undefined) return;
  const progress = await source.readModels.progress();
  const { position: upTo } = progress;
  const names = unchangedOnes(run.projections, source.unchanged);
  if (names.length === 0 || upTo === undefined) return;
  // A parked stream lacks documents.
  const parked = await source.readModels.parkedStreams();
  if (parked.length > 0 || (await foreignReadModels(run.log, progress))) return;
  await note(generation, { names });
  for (const name of names) await source.copy(name, run.signal);
  if (names.includes(employeeSetsCollection)) await ensureReadable(generation, source.readModels);
  await note(generation, { names, upTo, ...(await newestOf(source.readModels)) });
  run.logger.info({ collections: names }, 'unchanged collections are copied');
}

/** Read behind the copy, which may hold later events. A log that was put back does not have it. */
async function newestOf(source: ReadModelReader): Promise<Pick<Progress, 'last'>> {
  const { last } = await source.progress();
  return last === undefined ? {} : { last };
}

const isHalfCopied = ({ copied }: Progress): boolean => copied !== undefined && copied.upTo === undefined;

async function note(generation: ReadModelGeneration, copied: CopiedCollections): Promise<void> {
  const start = { position: undefined };
  if (!(await generation.advance(start, { ...start, copied })))
    throw new ReadModelsUnavailable('somebody else has begun to build this generation');
}

/** Sets are copied before their blocks, which are deleted only once a newer set says so. */
async function ensureReadable(copied: ReadModelReader, source: ReadModelReader): Promise<void> {
  for await (const { key, value } of copied.find(employeeSetsCollection, { prefix: [] })) {
    const set = setOfDocument(value);
    const now = setOfDocument(await source.get(employeeSetsCollection, key));
    if (set === undefined || now === undefined || now.since > set.revision)
      throw new ReadModelsUnavailable('employees have changed too often while they were copied');
  }
}

/** Of each projection all or none; those of calls count as one, since their rows are removed together. */
function unchangedOnes(
  projections: readonly AnyProjection[],
  unchanged: readonly string[],
): readonly string[] {
  const whole = projections.map(collectionsOf).filter((own) => own.every((name) => unchanged.includes(name)));
  const names = whole.flat();
  return callCollections.every((name) => names.includes(name))
    ? names
    : names.filter((name) => !callCollections.includes(name));
}
