import { randomUUID } from 'node:crypto';
import {
  type Every,
  GenerationReplaced,
  type LiveGeneration,
  type ReadModels,
  sleep as sleepByTimer,
  type Sleep,
  untilDone,
} from '@rollcall/application/read';
import { PartLeases } from './part-leases.js';
import { projectParts } from './project-parts.js';
import type { ProjectionRun } from './projection-run.js';
import { retryStreams } from './retry-streams.js';

export interface ProjectorOptions extends Omit<ProjectionRun, 'readModels'> {
  readonly readModels: Pick<ReadModels, 'liveGeneration' | 'progress'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly every?: Every;
}

type LiveRun = Omit<ProjectorOptions, 'readModels'> & { readonly readModels: LiveGeneration };

/**
 * Projects this projector's share of the parts until the signal aborts; retries outages with backoff. Parks only the stream of a failing
 * event, and retries it at each start. After a switch it begins again there.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const message = 'the projector stopped and tries again';
  const holder = randomUUID();
  let tried = false;
  await untilDone({ signal, logger, sleep, message, level: 'error' }, async (moved) => {
    while (!signal.aborted) {
      const run = { ...options, readModels: await options.readModels.liveGeneration() };
      await unlessReplaced(run, async () => {
        // A repair is usually a new version of this program, and so a start.
        if (!tried) await retryParkedStreams(run);
        tried = true;
        // The live generation may lag: a switch is looked for while idle, too.
        const ensure = () => run.readModels.ensureLive();
        await projectParts(run, new PartLeases(run.readModels, { holder }), { signal, moved, ensure });
      });
    }
  });
}

async function unlessReplaced({ logger }: LiveRun, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GenerationReplaced)) throw error;
    logger?.info({ problem: error.message }, 'the projector goes on in the live read models');
  }
}

async function retryParkedStreams(run: LiveRun): Promise<void> {
  for (const { stream } of await run.readModels.parkedStreams()) {
    const outcome = await retryStreams(run, stream);
    if (outcome === 'stopped') return;
    if (outcome === 'whole') run.logger?.info({ stream }, 'a broken stream is whole again');
    else run.logger?.error(outcome, 'a stream still cannot be projected');
  }
}
