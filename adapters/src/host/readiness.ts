import {
  foreignReadModels,
  LogWentBack,
  type Queue,
  type ReadModelReader,
  ReadModelsBuilding,
  within,
} from '@rollcall/application/read';
import type { DamageWatch } from './damage-watch.js';
import { degradation, outage, type HealthProblem } from './health.js';
import { lagProblems, type ProjectedStores } from './read-model-lag.js';
import type { WriteWatch } from './write-watch.js';

/** A part that has not answered for so long is missing. */
const probeMs = 2_000;

export interface ReadinessParts extends ProjectedStores {
  readonly readModels: ProjectedStores['readModels'] & Pick<ReadModelReader, 'parkedStreams'>;
  /** Absent where the process does without. */
  readonly queue?: Pick<Queue, 'depth'>;
  readonly writes?: Pick<WriteWatch, 'problems'>;
  readonly damage?: Pick<DamageWatch, 'problems'>;
}

/** What is wrong with the parts of a process, each by name; empty where it is in order. Answers within 2 s, and never throws. */
export async function partProblems(parts: ReadinessParts): Promise<HealthProblem[]> {
  const { log, readModels, queue, writes, damage } = parts;
  const problems = await Promise.all([
    orMissing(() => log.lastPosition(), 'the event log cannot be read'),
    readModelProblems(readModels),
    foreignProblems(parts),
    behindProblems(parts),
    queue ? queueProblems({ queue }) : [],
    writes?.problems() ?? [],
  ]);
  return [...problems.flat(), ...(damage?.problems() ?? [])];
}

export const queueProblems = ({
  queue,
}: {
  readonly queue: Pick<Queue, 'depth'>;
}): Promise<HealthProblem[]> => orMissing(() => queue.depth('imports'), 'the queue cannot be reached');

async function orMissing(probe: () => Promise<unknown>, problem: string): Promise<HealthProblem[]> {
  try {
    await within(probe(), probeMs);
    return [];
  } catch (error) {
    return [outage(error instanceof LogWentBack ? error.message : problem)];
  }
}

/** Whoever is asked would answer from read models of another log; a store that is away is named by its own probe. */
async function foreignProblems({ log, readModels }: ReadinessParts): Promise<HealthProblem[]> {
  const foreign = async (): Promise<HealthProblem[]> => {
    const problem = await foreignReadModels(log, await readModels.progress());
    return problem === undefined ? [] : [outage(problem.message)];
  };
  return within(foreign(), probeMs).catch(() => []);
}

/** A store that is away is named by its own probe. */
const behindProblems = (parts: ReadinessParts): Promise<HealthProblem[]> =>
  within(lagProblems(parts, AbortSignal.timeout(probeMs)), probeMs).catch(() => []);

async function readModelProblems(readModels: ReadinessParts['readModels']): Promise<HealthProblem[]> {
  try {
    const broken = await within(readModels.parkedStreams(), probeMs);
    const streams = broken.map(({ stream, revision }) => `${stream} at revision ${revision}`);
    return streams.length === 0 ? [] : [degradation(`projections have stopped: ${streams.join(', ')}`)];
  } catch (error) {
    // Named by `behindProblems`.
    if (error instanceof ReadModelsBuilding) return [];
    return [outage('the read models cannot be read')];
  }
}
