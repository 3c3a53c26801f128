import {
  type Every,
  everyByTimer,
  GenerationReplaced,
  type LiveGeneration,
  type ReadModels,
  sleep as sleepByTimer,
  type Sleep,
  chunkStreams,
  type Position,
  type SubscriptionItem,
  untilDone,
} from '@rollcall/application/read';

import { Overtaken, type ProjectionRun } from './projection.js';
import { leaseLookMs, PartLease } from './part-lease.js';
import { Processor } from './processor.js';
import { retryStreams } from './retry-streams.js';

/** How projectors that share the work pass the time; injected by tests. */
export interface SharingOptions {
  readonly sleep?: Sleep | undefined;
  readonly every?: Every | undefined;
  readonly timer?: (() => number) | undefined;
}

export interface ProjectorOptions extends Omit<ProjectionRun, 'readModels' | 'holder'>, SharingOptions {
  readonly readModels: Pick<ReadModels, 'liveGeneration'>;
  readonly signal: AbortSignal;
  /** The read models now live were filled by another process: `onApplied` has not seen all. */
  readonly onSwitched?: (live: LiveGeneration) => unknown;
}

type LiveRun = Omit<ProjectorOptions, 'readModels'> & { readonly readModels: LiveGeneration };

/**
 * Projects until the signal aborts; retries outages with backoff. Parks only the stream of a failing event, and retries it
 * at each start. Shares the parts of the streams with other projectors. After a switch it begins again there.
 */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, logger, sleep = sleepByTimer } = options;
  const message = 'the projector stopped and tries again';
  let tried = false;
  let isSwitched = false;
  await untilDone({ signal, logger, sleep, message, level: 'error' }, async (moved) => {
    while (!signal.aborted) {
      const run = { ...options, readModels: await options.readModels.liveGeneration() };
      const ensureLive = (): Promise<void> => run.readModels.ensureLive();
      if (isSwitched) options.onSwitched?.(run.readModels);
      // A repair is usually a new version of this program, and so a start.
      isSwitched = false;
      await unlessReplaced(
        async () => {
          if (!tried) await retryParkedStreams(run);
          tried = true;
          await projectShare(run, { signal, moved, check: ensureLive });
        },
        (problem) => {
          isSwitched = true;
          logger?.info({ problem }, 'the projector goes on in the live read models');
        },
      );
    }
  });
}

/** False if the generation that it works on is replaced meanwhile. */
export async function unlessReplaced(
  work: () => Promise<unknown>,
  onReplaced: (problem: string) => void = () => undefined,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof GenerationReplaced)) throw error;
    onReplaced(error.message);
    return false;
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

interface ShareUntil extends Until {
  readonly signal: AbortSignal;
  /** Called at each look; what it throws ends the work. The live generation may lag behind a switch. */
  readonly check?: () => Promise<void>;
}

/** Projects the parts that are due to this process among all that share the generation, until `position` is applied in all parts. */
export async function projectShare(run: ProjectionRun & SharingOptions, until: ShareUntil): Promise<void> {
  const { sleep = sleepByTimer, readModels } = run;
  const { position, check } = until;
  const lease = new PartLease(readModels, run.timer);
  const isDone = async (): Promise<boolean> =>
    position !== undefined && (await readModels.reachedPosition(position, 0));
  try {
    for (let rests = false; !until.signal.aborted;) {
      await check?.();
      if (await isDone()) return;
      if (rests) await sleep(leaseLookMs, until.signal);
      const parts = await lease.look();
      rests = parts === 0n || !(await projectHeld(run, until, { lease, parts }));
    }
  } finally {
    // Without a word the others wait for the lease to lapse.
    await lease.leave().catch(() => undefined);
  }
}

/** Whether it holds other parts now. */
async function projectHeld(
  run: ProjectionRun & SharingOptions,
  until: ShareUntil,
  { lease, parts }: { readonly lease: PartLease; readonly parts: bigint },
): Promise<boolean> {
  const { every = everyByTimer } = run;
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    await until.check?.();
    if ((await lease.look()) !== parts) ended.abort();
  };
  const stop = every(leaseLookMs, () =>
    look().catch((error: unknown) => {
      if (error instanceof GenerationReplaced) ended.abort();
    }),
  );
  try {
    const signal = AbortSignal.any([until.signal, ended.signal]);
    await subscribe({ ...run, holder: lease.holder }, { ...until, signal });
    return ended.signal.aborted;
  } finally {
    stop();
  }
}

interface Until {
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
    run.logger?.info({ problem: error.message }, 'the projector has lost its parts');
    return 'overtaken';
  } finally {
    await processor.close();
  }
}

async function follow({ log, onRead }: ProjectionRun, processor: Processor, until: Until): Promise<void> {
  const signal = AbortSignal.any([until.signal, processor.stopped]);
  const { position: after, pattern: matching } = processor;
  const subscription = { after, withoutStreams: chunkStreams, matching, signal };
  for await (const item of log.subscribeToAll(subscription)) {
    const position = positionOf(item);
    const isOver = isReached(position, until.position);
    if (item.kind === 'event') onRead?.(item.event);
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
