import type {
  DamageFinder,
  EmployeeSetFold,
  EventReader,
  EventSubscriber,
  LoadedEvent,
  ProcessLogger,
  ReadModelReader,
  ReadModelWriter,
} from '@rollcall/application/read';
import type { AnyProjection } from './projection.js';

export interface ProjectionRun {
  readonly log: EventReader & EventSubscriber & DamageFinder;
  readonly readModels: ReadModelReader & ReadModelWriter;
  readonly projections: readonly AnyProjection[];
  /** Ends it within a large event too. */
  readonly signal?: AbortSignal;
  readonly logger?: ProcessLogger;
  /** From how many bytes on an event is projected by itself, beside the others. Injected in tests. */
  readonly largeBytes?: number | undefined;
  /** Asked before each event that is projected by itself: what is to be shown its entries. */
  readonly beside?: (event: LoadedEvent) => Promise<EmployeeSetFold | undefined>;
  /**
   * Called for each event after everything of it is applied, and once more where it was found applied; what it throws costs a
   * warning, unless it is an outage. The progress may be behind the event by then: a crash in between leaves a call out.
   */
  readonly onApplied?: (event: LoadedEvent) => Promise<void>;
}
