import {
  growingDelay,
  sleep as sleepByTimer,
  type Sleep,
  lastProjected,
  notProjected,
  type Position,
  type ReadModelReader,
  type SubscriptionItem,
  FailureReport,
} from '@rollcall/application/read';

import { CheckpointedProcessor } from './checkpointed-processor.js';
import { followGathered } from './gathered.js';
import { oneAtATime, type ProjectionRun } from './projection-run.js';
import { InFlightStream } from './in-flight-stream.js';
import { retryStreams } from './retry-streams.js';

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 10_000;

/** How long the active projector may stand still before one that stands by takes over. */
export const STAND_BY_MS = 1_000;

export interface ProjectorOptions extends Omit<ProjectionRun, 'lane' | 'exclusive'> {
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  /** Large events that come from now on are projected beside those of other streams, which then do not wait for them. */
  readonly largeBeside?: boolean;
}

/**
 * Keeps the read models up with the log until the signal aborts. A store that is away stops everything and is tried again
 * after growing delays; a stream whose event cannot be applied is parked and skipped, and no other, until a
 * start finds that it can be. Any number may run: one that finds the read models moved by another stands by until that
 * one stands still.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { sleep = sleepByTimer } = options;
  if (options.largeBeside !== true) return subscribeAlways({ ...options, sleep });
  const exclusive = oneAtATime();
  const lane = new InFlightStream({ ...options, exclusive });
  await Promise.all([lane.run(), subscribeAlways({ ...options, sleep, exclusive, lane })]);
}

type Following = ProjectionRun & {
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  readonly lane?: InFlightStream;
};

async function subscribeAlways(options: Following): Promise<void> {
  const { sleep, logger } = options;
  const message = 'the projector stopped and tries again';
  const report = new FailureReport({ logger, message, level: 'error' });
  const applied = (): void => {
    failures = 0;
    report.succeeded();
  };
  let failures = 0;
  let tried = false;
  while (!options.signal.aborted) {
    try {
      await options.lane?.begin();
      // The mend of a parked stream is most often another version of this program, and so a start.
      if (!tried) await retryParkedStreams(options);
      tried = true;
      await subscribeOnce(options, applied);
    } catch (error) {
      failures += 1;
      const delay = growingDelay(failures, FIRST_DELAY_MS, LAST_DELAY_MS);
      report.failed(error, { delay });
      await sleep(delay, options.signal);
    }
  }
}

/** Until the signal aborts, or until somebody else moves the read models and stands still again. */
async function subscribeOnce(options: Following, applied: () => void): Promise<void> {
  const { lane, signal, sleep } = options;
  const whole = lane?.whole;
  const stopped = await subscribe(options, { signal, applied });
  // Where the own in-flight stream marked a stream healthy, nobody else has moved anything.
  if (stopped === 'overtaken' && lane?.whole === whole) await standBy(options, sleep);
}

async function retryParkedStreams(options: ProjectorOptions): Promise<void> {
  for (const { stream } of await options.readModels.parkedStreams()) {
    const outcome = await retryStreams(options, stream, options.signal);
    if (outcome === 'stopped') return;
    if (outcome === 'whole') options.logger?.info({ stream }, 'a broken stream is whole again');
    else if (outcome !== 'overtaken') options.logger?.error(outcome, 'a stream still cannot be projected');
  }
}

export interface Until {
  readonly signal: AbortSignal;
  /** Stop when everything up to here is applied, and nothing behind it. */
  readonly position?: Position;
  readonly applied?: () => void;
}

/** Projects from where the read models stand. `overtaken`: somebody else moved them. */
export async function subscribe(run: ProjectionRun, until: Until): Promise<'done' | 'overtaken'> {
  const cursor = await CheckpointedProcessor.open(run);
  if (isReached(cursor.position, until.position)) return 'done';
  const subscription = { after: cursor.position, withoutStreams: notProjected, signal: until.signal };
  for await (const item of followGathered(run.log, subscription)) {
    if (!(await handle(cursor, item, until))) return 'overtaken';
    if (isReached(positionOf(item), until.position)) break;
  }
  const whole =
    until.position === undefined || until.signal.aborted ? cursor.flush() : cursor.moveTo(until.position);
  return (await whole) ? 'done' : 'overtaken';
}

async function handle(cursor: CheckpointedProcessor, item: SubscriptionItem, until: Until): Promise<boolean> {
  const before = cursor.applied;
  const mine = await advance(cursor, item, until.position);
  if (cursor.applied > before) until.applied?.();
  return mine;
}

function advance(
  cursor: CheckpointedProcessor,
  item: SubscriptionItem,
  end: Position | undefined,
): Promise<boolean> {
  if (item.kind === 'caught-up') return cursor.caughtUp(earlier(item.position, end));
  return end !== undefined && item.event.position > end ? cursor.flush(end) : cursor.take(item.event);
}

const earlier = (position: Position | undefined, end: Position | undefined): Position | undefined =>
  end !== undefined && position !== undefined && end < position ? end : position;

const positionOf = (item: SubscriptionItem): Position | undefined =>
  item.kind === 'event' ? item.event.position : item.position;

const isReached = (position: Position | undefined, wanted: Position | undefined): boolean =>
  wanted !== undefined && position !== undefined && position >= wanted;

type Watched = {
  readonly log: Pick<ProjectionRun['log'], 'lastPosition'>;
  readonly readModels: Pick<ReadModelReader, 'progress'>;
};

async function standBy(
  { log, readModels, signal }: Watched & { signal: AbortSignal },
  sleep: Sleep,
): Promise<void> {
  for (;;) {
    const before = await readModels.progress();
    await sleep(STAND_BY_MS, signal);
    const now = await readModels.progress();
    const moved = now.position !== before.position || now.parts !== before.parts;
    if (signal.aborted) return;
    // Chunks of large data at the end of the log are nobody's work.
    const last = await lastProjected(log);
    if (!moved && last !== undefined && !isReached(now.position, last)) return;
  }
}
