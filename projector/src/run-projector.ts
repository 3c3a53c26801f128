import {
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

/** How long the active projector may stand still before one that stands by takes over. */
export const STAND_BY_MS = 1_000;

/** What a projector is trusted to do at least. */
const LARGE_BYTES_A_SECOND = 8 * 1024 * 1024;

export interface ProjectorOptions extends ProjectionRun {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

/**
 * Keeps the read models up with the log until the signal aborts. A store that is away stops everything and is tried again
 * after growing delays; a stream whose event cannot be applied is parked and skipped, and no other, until a
 * start finds that it can be. Any number may run: one that finds the progress moved by another stands by until that
 * one stands still.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const message = 'the projector stopped and tries again';
  let tried = false;
  await untilDone({ signal, logger, sleep, message, level: 'error' }, async (moved) => {
    // The mend of a parked stream is most often another version of this program, and so a start.
    if (!tried) await retryParkedStreams(options);
    tried = true;
    while (!signal.aborted)
      if ((await subscribe(options, { signal, moved })) === 'overtaken') await standBy(options, sleep);
  });
}

async function retryParkedStreams(options: ProjectorOptions): Promise<void> {
  for (const { stream } of await options.readModels.parkedStreams()) {
    const outcome = await retryStreams(options, stream);
    if (outcome === 'stopped') return;
    if (outcome === 'whole') options.logger?.info({ stream }, 'a broken stream is whole again');
    else options.logger?.error(outcome, 'a stream still cannot be projected');
  }
}

export interface Until {
  readonly signal: AbortSignal;
  /** Stop when everything up to here is applied, and nothing behind it. */
  readonly position?: Position;
  /** Called with each move of the progress. */
  readonly moved?: () => void;
}

/** Projects from where the read models stand. `overtaken`: somebody else is ahead. */
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

const handle = (processor: Processor, item: SubscriptionItem): Promise<void> =>
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
    await sleep(STAND_BY_MS, signal);
    const now = await readModels.progress();
    if (signal.aborted) return;
    stood = now.position === before.position ? stood + STAND_BY_MS : 0;
    // Chunks of large data at the end of the log are nobody's work.
    const last = await lastProjected(log);
    const isBehind = last !== undefined && !isReached(now.position, last);
    if (isBehind && stood > 0 && stood >= (await patienceMs(options, now.position))) return;
  }
}

/** How long the progress may stand still: at a large event as long as that takes on a slow machine. */
async function patienceMs({ log, signal }: ProjectorOptions, after: Position | undefined): Promise<number> {
  for await (const item of log.subscribeToAll({ after, withoutStreams: notProjected, signal })) {
    if (item.kind === 'caught-up') break;
    const bytes = stagedReference(item.event.data)?.bytes ?? 0;
    return Math.max(STAND_BY_MS, (1_000 * bytes) / LARGE_BYTES_A_SECOND);
  }
  return STAND_BY_MS;
}
