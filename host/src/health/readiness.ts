import {
  foreignReadModels,
  isOutage,
  LogRefused,
  LogWentBack,
  type Queue,
  type QueueName,
  queueNames,
  QueueRefused,
  type ReadModelReader,
  ReadModelsBuilding,
  within,
} from '@rollcall/application/read';
import type { DamageWatch } from './damage-watch.js';
import { degradation, firstOf, outage, type HealthProblem } from './health.js';
import { lagProblems, type ProjectedStores } from './read-model-lag.js';
import { NO_APPENDS } from './write-places.js';
import type { WriteWatch } from './write-watch.js';

const probeMs = 2_000;
const UNKNOWN_LAG = `the read models are behind or not: the event log did not say within ${probeMs / 1_000} s`;

export interface ReadinessParts extends ProjectedStores {
  readonly readModels: ProjectedStores['readModels'] & Pick<ReadModelReader, 'parkedStreams'>;
  /** Absent in a process without a queue. */
  readonly queue?: Pick<Queue, 'depth'>;
  readonly writes?: Pick<WriteWatch, 'problems'>;
  readonly damage?: Pick<DamageWatch, 'problems'>;
}

/** The problems of all parts; empty when all is well. Answers within 2 s and never throws. */
export async function partProblems(parts: ReadinessParts): Promise<HealthProblem[]> {
  const { log, readModels, queue, writes, damage } = parts;
  const [reading, ...others] = await Promise.all([
    orMissing(() => log.lastPosition(), 'the event log cannot be read'),
    readModelProblems(readModels),
    foreignProblems(parts),
    behindProblems(parts),
    queue ? queueProblems(queue) : [],
    writes?.problems() ?? [],
  ]);
  const found = [...reading, ...others.flat(), ...(damage?.problems() ?? [])];
  // A log that is away takes no appends either, and without the stores nobody knows how far the read models are.
  const isAway = found.some(({ problem, isOutage }) => isOutage && problem !== NO_APPENDS);
  return found.filter(
    ({ problem }) => !(problem === NO_APPENDS && reading.length > 0) && !(problem === UNKNOWN_LAG && isAway),
  );
}

/** Why queues take no messages now, each with its name. */
export async function queueRefusals(
  queue: Pick<Queue, 'depth'>,
  names: readonly QueueName[] = queueNames,
): Promise<string[]> {
  const depths = await Promise.all(names.map((name) => queue.depth(name)));
  return depths.flatMap(({ refusal }, at) => (refusal ? [`${names[at]}: ${refusal}`] : []));
}

/** `others`: what queues of the same process elsewhere were refused. */
export async function queueProblems(queue: Pick<Queue, 'depth'>, others: readonly string[] = []) {
  let refusals: string[] = [];
  const look = async (): Promise<unknown> => (refusals = [...(await queueRefusals(queue)), ...others]);
  const away = await orMissing(look, 'the queue cannot be reached');
  return refusals.length === 0 ? away : [degradation(`the queue takes no messages: ${refusals.join('; ')}`)];
}

async function orMissing(probe: () => Promise<unknown>, problem: string): Promise<HealthProblem[]> {
  try {
    await within(probe(), probeMs);
    return [];
  } catch (error) {
    if (error instanceof LogWentBack) return [outage(error.message)];
    const hasReason = error instanceof LogRefused || error instanceof QueueRefused;
    return [outage(hasReason ? `${problem}: ${error.message}` : problem)];
  }
}

/** Read models of another log would give wrong answers. A store that is away is reported by its own probe. */
async function foreignProblems({ log, readModels }: ReadinessParts): Promise<HealthProblem[]> {
  const foreign = async (): Promise<HealthProblem[]> => {
    const problem = await foreignReadModels(log, await readModels.progress());
    return problem === undefined ? [] : [outage(problem.message)];
  };
  return within(foreign(), probeMs).catch(() => []);
}

/** A store that is away is reported by its own probe. */
async function behindProblems(parts: ReadinessParts): Promise<HealthProblem[]> {
  try {
    return await within(lagProblems(parts, AbortSignal.timeout(probeMs)), probeMs);
  } catch (error) {
    return isOutage(error) ? [] : [degradation(UNKNOWN_LAG)];
  }
}

async function readModelProblems(readModels: ReadinessParts['readModels']): Promise<HealthProblem[]> {
  try {
    const broken = await within(readModels.parkedStreams(), probeMs);
    if (broken.length === 0) return [];
    const streams = broken.map(({ stream, revision }) => `${stream} at revision ${revision}`);
    return [degradation(`projections have stopped: ${firstOf(streams, ', ')}`)];
  } catch (error) {
    // Reported by `behindProblems`.
    if (error instanceof ReadModelsBuilding) return [];
    return [outage('the read models cannot be read')];
  }
}
