import {
  type Every,
  everyByTimer,
  GenerationReplaced,
  type LiveGeneration,
  type ReadModels,
  sleep as sleepByTimer,
  type Sleep,
  lastProjected,
  notProjected,
  stagedReference,
  type Position,
  type SubscriptionItem,
  untilDone,
} from '@rollcall/application/read';

import { followGathered } from './gathered.js';
import { Overtaken } from './overtaken.js';
import { Processor } from './processor.js';
import type { ProjectionRun } from './projection-run.js';
import { retryStreams } from './retry-streams.js';

/** How long the active projector may stand still before a standby takes over. */
export const standbyMs = 1_000;

const minBytesPerSecond = 8 * 1024 * 1024;

export interface ProjectorOptions extends Omit<ProjectionRun, 'readModels'> {
  readonly readModels: Pick<ReadModels, 'liveGeneration' | 'progress'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly every?: Every;
}

type LiveRun = Omit<ProjectorOptions, 'readModels'> & { readonly readModels: LiveGeneration };

/**
 * Projects until the signal aborts; retries outages with backoff. Parks only the stream of a failing event, and retries it
 * at each start. A standby waits until the active projector stands still. After a switch it begins again there.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const message = 'the projector stopped and tries again';
  let tried = false;
  await untilDone({ signal, logger, sleep, message, level: 'error' }, async (moved) => {
    while (!signal.aborted) {
      const run = { ...options, readModels: await options.readModels.liveGeneration() };
      // A repair is usually a new version of this program, and so a start.
      const outcome = await unlessReplaced(run, async () => {
        if (!tried) await retryParkedStreams(run);
        tried = true;
        return projectLive(run, moved);
      });
      if (outcome === 'overtaken') await standBy(options, sleep);
    }
  });
}

async function unlessReplaced<T>({ logger }: LiveRun, work: () => Promise<T>): Promise<T | 'replaced'> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GenerationReplaced)) throw error;
    logger?.info({ problem: error.message }, 'the projector goes on in the live read models');
    return 'replaced';
  }
}

/** Checks for a switch while idle, too: the live generation may lag. */
async function projectLive(run: LiveRun, moved: () => void): Promise<'done' | 'overtaken'> {
  const { readModels, every = everyByTimer } = run;
  const replaced = new AbortController();
  const stop = every(standbyMs, () =>
    readModels.ensureLive().catch((error: unknown) => {
      if (error instanceof GenerationReplaced) replaced.abort();
    }),
  );
  try {
    return await subscribe(run, { signal: AbortSignal.any([run.signal, replaced.signal]), moved });
  } finally {
    stop();
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

export interface Until {
  readonly signal: AbortSignal;
  /** Stops when exactly this position is applied. */
  readonly position?: Position;
  readonly moved?: () => void;
}

/** From the present progress. `overtaken`: another process is ahead. `GenerationReplaced` after a switch. */
export async function subscribe(run: ProjectionRun, until: Until): Promise<'done' | 'overtaken'> {
  const processor = await Processor.open({ ...run, signal: until.signal });
  if (until.moved !== undefined) processor.moved = until.moved;
  try {
    if (!isReached(processor.position, until.position)) await follow(run, processor, until);
    return 'done';
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    run.logger?.info({ problem: error.message }, 'the projector stands by');
    return 'overtaken';
  } finally {
    await processor.close();
  }
}

async function follow({ log }: ProjectionRun, processor: Processor, until: Until): Promise<void> {
  const signal = AbortSignal.any([until.signal, processor.stopped]);
  const subscription = { after: processor.position, withoutStreams: notProjected, signal };
  for await (const item of followGathered(log, subscription)) {
    const position = positionOf(item);
    const isOver = isReached(position, until.position);
    if (!isOver || position === until.position) await handle(processor, item);
    if (isOver) break;
  }
  await processor.finish(until.signal.aborted ? undefined : until.position);
}

const handle = (processor: Processor, item: SubscriptionItem): Promise<void> | undefined =>
  item.kind === 'event' ? processor.take(item.event) : processor.caughtUp(item.position);

const positionOf = (item: SubscriptionItem): Position | undefined =>
  item.kind === 'event' ? item.event.position : item.position;

const isReached = (position: Position | undefined, wanted: Position | undefined): boolean =>
  wanted !== undefined && position !== undefined && position >= wanted;

async function standBy(options: ProjectorOptions, sleep: Sleep): Promise<void> {
  const { log, readModels, signal } = options;
  let stood = 0;
  for (;;) {
    const before = await readModels.progress();
    await sleep(standbyMs, signal);
    const now = await readModels.progress();
    if (signal.aborted) return;
    stood = now.position === before.position ? stood + standbyMs : 0;
    // Chunks at the log's end need no work.
    const last = await lastProjected(log);
    const isBehind = last !== undefined && !isReached(now.position, last);
    if (isBehind && stood > 0 && stood >= (await patienceMs(options, now.position))) return;
  }
}

/** How long the progress may stand still: for a large event as long as a slow machine needs. */
async function patienceMs({ log, signal }: ProjectorOptions, after: Position | undefined): Promise<number> {
  for await (const item of log.subscribeToAll({ after, withoutStreams: notProjected, signal })) {
    if (item.kind === 'caught-up') break;
    const bytes = stagedReference(item.event.data)?.bytes ?? 0;
    return Math.max(standbyMs, (1_000 * bytes) / minBytesPerSecond);
  }
  return standbyMs;
}
