import { notProjected, type Parts, type Position, type SubscriptionItem } from '@rollcall/application/read';
import { followGathered } from './gathered.js';
import { Overtaken } from './overtaken.js';
import { Processor } from './processor.js';
import type { ProjectionRun } from './projection-run.js';

export interface Until {
  readonly signal: AbortSignal;
  /** Stops when exactly this position is applied. */
  readonly position?: Position | undefined;
  /** By default all. */
  readonly parts?: Parts;
  readonly moved?: () => void;
  readonly onOpen?: (processor: Processor) => void;
}

/** From the present progress. `overtaken`: another process is ahead. `GenerationReplaced` after a switch. */
export async function subscribe(run: ProjectionRun, until: Until): Promise<'done' | 'overtaken'> {
  const processor = await Processor.open({ ...run, signal: until.signal }, until.parts);
  if (until.moved !== undefined) processor.moved = until.moved;
  until.onOpen?.(processor);
  try {
    if (!isReached(processor.position, until.position)) await follow(run, processor, until);
    return 'done';
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    run.logger?.info({ problem: error.message }, 'another projector works on these parts');
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

export const isReached = (position: Position | undefined, wanted: Position | undefined): boolean =>
  wanted !== undefined && position !== undefined && position >= wanted;
