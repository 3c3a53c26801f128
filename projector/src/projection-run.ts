import {
  framesOf,
  isOutage,
  problemOf,
  type DamageFinder,
  type EmployeeSetFold,
  type EventReader,
  type EventSubscriber,
  type LoadedEvent,
  type ProcessLogger,
  type ReadModelReader,
  type ReadModelWriter,
} from '@rollcall/application/read';
import type { AnyProjection } from './projection.js';

export interface ProjectionRun {
  readonly log: EventReader & EventSubscriber & DamageFinder;
  /** One generation: its checkpoint and heads hold for no other. */
  readonly readModels: ReadModelReader & ReadModelWriter;
  readonly projections: readonly AnyProjection[];
  /** Whose parts of the streams are projected; without one, all of them. */
  readonly holder?: string | undefined;
  readonly signal?: AbortSignal;
  readonly logger?: ProcessLogger;
  readonly largeBytes?: number | undefined;
  /** Asked before each separately projected event: a fold to feed with its elements. */
  readonly beside?: (event: LoadedEvent) => Promise<EmployeeSetFold | undefined>;
  /** Called after each applied event; repeated or, in a crash, left out. Errors other than outages are only logged. */
  readonly onApplied?: (event: LoadedEvent) => Promise<void>;
}

export async function notify({ onApplied, logger }: ProjectionRun, event: LoadedEvent): Promise<void> {
  try {
    await onApplied?.(event);
  } catch (error) {
    if (isOutage(error)) throw error;
    const { stream, revision } = event;
    const found = { stream, revision, problem: problemOf(error), frames: framesOf(error) };
    logger?.warn(found, 'not done after an event');
  }
}
