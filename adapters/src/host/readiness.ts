import {
  foreignReadModels,
  type ReadableEventLog,
  type Queue,
  type ReadModelReader,
  within,
} from '@rollcall/application/read';

/** A part that has not answered for so long is missing. */
const probeMs = 2_000;

export interface ReadinessParts {
  readonly log: Pick<ReadableEventLog, 'lastPosition' | 'readStream' | 'readLast'>;
  readonly readModels: Pick<ReadModelReader, 'parkedStreams' | 'progress'>;
  /** Absent where the process does without. */
  readonly queue?: Pick<Queue, 'depth'>;
}

/** What keeps a process from its work, each part by name; empty where it is ready. Answers within 2 s, and never throws. */
export async function partProblems({ log, readModels, queue }: ReadinessParts): Promise<string[]> {
  const problems = await Promise.all([
    orMissing(() => log.lastPosition(), 'the event log cannot be read'),
    readModelProblems(readModels),
    foreignProblems({ log, readModels }),
    queue ? queueProblems({ queue }) : [],
  ]);
  return problems.flat();
}

export const queueProblems = ({ queue }: { readonly queue: Pick<Queue, 'depth'> }): Promise<string[]> =>
  orMissing(() => queue.depth('imports'), 'the queue cannot be reached');

async function orMissing(probe: () => Promise<unknown>, problem: string): Promise<string[]> {
  try {
    await within(probe(), probeMs);
    return [];
  } catch {
    return [problem];
  }
}

/** Whoever is asked would answer from read models of another log; a store that is away is named by its own probe. */
async function foreignProblems({ log, readModels }: ReadinessParts): Promise<string[]> {
  const foreign = async (): Promise<string[]> => {
    const problem = await foreignReadModels(log, await readModels.progress());
    return problem === undefined ? [] : [problem.message];
  };
  return within(foreign(), probeMs).catch(() => []);
}

async function readModelProblems(readModels: ReadinessParts['readModels']): Promise<string[]> {
  try {
    const broken = await within(readModels.parkedStreams(), probeMs);
    const streams = broken.map(({ stream, revision }) => `${stream} at revision ${revision}`);
    return streams.length === 0 ? [] : [`projections have stopped: ${streams.join(', ')}`];
  } catch {
    return ['the read models cannot be read'];
  }
}
