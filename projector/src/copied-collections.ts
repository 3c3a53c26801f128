import {
  employeeSetsCollection,
  foreignReadModels,
  ReadModelsUnavailable,
  setOfDocument,
  type CopiedCollections,
  type Position,
  type ProcessLogger,
  type Progress,
  type ReadModelGeneration,
  type ReadModelReader,
} from '@rollcall/application/read';
import type { AnyProjection, ProjectionRun } from './projection.js';

type Run = Pick<ProjectionRun, 'log' | 'projections'> & {
  readonly logger: ProcessLogger;
  readonly signal: AbortSignal;
};

/**
 * Copies collections with an unchanged number into a new generation. Their documents hold every event up to the progress that is read first,
 * and perhaps later ones, whose repetition does nothing. After a failure the generation is half copied.
 */
export async function copyUnchanged(generation: ReadModelGeneration, run: Run): Promise<void> {
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

export const isHalfCopied = ({ copied }: Progress): boolean =>
  copied !== undefined && copied.upTo === undefined;

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

const collectionsOf = (one: AnyProjection): readonly string[] =>
  'collections' in one ? one.collections : [one.collection];

/** Of each projection all or none. */
const unchangedOnes = (
  projections: readonly AnyProjection[],
  unchanged: readonly string[],
): readonly string[] =>
  projections.map(collectionsOf).flatMap((own) => (own.every((name) => unchanged.includes(name)) ? own : []));

/** An event that the copied collections have needs only the projections of the others. */
export function projectionsBy(
  projections: readonly AnyProjection[],
  { names = [], upTo }: Partial<CopiedCollections> = {},
): (event: { readonly position: Position }) => readonly AnyProjection[] {
  const ofOthers = projections.filter((one) => !collectionsOf(one).every((name) => names.includes(name)));
  return ({ position }) => (upTo !== undefined && position <= upTo ? ofOthers : projections);
}
